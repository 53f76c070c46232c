"""A tracker whose API is awkward for a model: short names, nested bodies, pages by tokens, jobs, an upload, strict checks.

It has 25 operations. The document is a value, and the server a function from a request to a response, so that any client
can use them without a port. ``TASKS`` are what people ask for, and ``done`` says which of them a server has seen done.
"""

import json
import re
from datetime import date, datetime
from itertools import count
from typing import Any, Final
from urllib.parse import unquote

import httpx

BASE_URL: Final = "https://trk.example"
LIMIT: Final = 3

#: The tasks, in the words of people.
TASKS: Final = (
    "Create a ticket 'Login page is blank' with the highest priority in the project MOB, due on 2026-12-01.",
    "Set the status of the ticket 'Crash on start' to done.",
    "Assign the ticket 'Slow search' to Dana.",
    "How many open tickets are there?",
    "Remove the due date of the ticket 'Crash on start'.",
    "Comment 'We found the reason' on the ticket 'Slow search', visible only to us.",
    "Attach a text file notes.txt with the content 'hello' to the ticket 'Slow search'.",
    "Mark the ticket 'Typo in footer' as a duplicate of 'Footer is wrong'.",
    "Create a sprint 'Winter' from 2026-12-01 to 2026-12-14.",
    "Close the running sprint, move its unfinished tickets to the backlog, and say when that is finished.",
    "Set the stock of the product 'Blue lamp' to 40, because we counted it.",
    "Export all tickets of the project WEB as an Excel file and say where the file is.",
    "Delete the records with fewer than 2 views.",
    "Call https://hooks.example/t whenever a ticket is created or closed.",
    "Estimate the ticket 'Dark mode' at 3 days and put it into the running sprint.",
)

_TEXT: Final = {"type": "string"}
_STATES: Final = ["OPEN", "IN_PROG", "DONE", "WONT"]
_STATE: Final = {"type": "string", "enum": _STATES}
_PRIO: Final = {
    "type": "string",
    "enum": ["P0", "P1", "P2", "P3"],
    "description": "P0 is the most urgent.",
}
_KEY: Final = {"type": "string", "pattern": "^[A-Z]{2,5}$"}
_DAY: Final = {"type": "string", "format": "date", "nullable": True}
_MOMENT: Final = {"type": "string", "format": "date-time"}
_ID: Final = {"type": "string", "pattern": "^[a-z]{2}_[0-9]{4}$"}


def _object(required: str = "", **members: Any) -> dict[str, Any]:
    known = {"type": "object", "properties": members, "additionalProperties": False}
    return known | ({"required": required.split()} if required else {})


_ASSIGNEE: Final = _object("usr_id", usr_id=_ID)
_ESTIMATE: Final = _object(
    "val unit",
    val={"type": "number", "minimum": 0},
    unit={"type": "string", "enum": ["h", "d", "sp"]},
)
_CHANGE: Final = {
    "ttl": {"type": "string", "maxLength": 80}, "dsc": _TEXT, "prio": _PRIO, "due": _DAY, "lbls": {"type": "array", "items": _TEXT},
    "asgn": _ASSIGNEE, "est": _ESTIMATE, "sp_id": _ID,
}  # fmt: skip
_TICKET: Final = _object(
    "tk_id ttl state", tk_id=_ID, state=_STATE, proj_key=_KEY, crt=_MOMENT, **_CHANGE
)
_FILTER: Final = _object(
    "",
    st={"type": "array", "items": _STATE},
    proj_key=_KEY,
    prio=_PRIO,
    asgn=_object("", usr_id=_ID),
)


def _query(*given: tuple[str, Any]) -> list[Any]:
    return [{"name": name, "in": "query", "schema": schema} for name, schema in given]


_PAGE: Final = (("_lim", {"type": "integer", "minimum": 1, "maximum": 100}), ("_token", _TEXT))


def _list(item: Any) -> Any:
    return _object("data", data={"type": "array", "items": item}, meta=_object("", _token=_TEXT))


def _operation(summary: str, result: Any, body: Any = None, parameters: Any = (), status: str = "200", media: str = "application/json") -> Any:  # fmt: skip
    content = {} if result is None else {"content": {"application/json": {"schema": result}}}
    operation = {"summary": summary, "parameters": [*parameters], "responses": {status: {"description": "Ok.", **content}}}  # fmt: skip
    if not summary:
        del operation["summary"]
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {media: {"schema": body}}}
    return operation


def _in_path(name: str) -> Any:
    return {"name": name, "in": "path", "required": True, "schema": _ID}


_JOB: Final = _object("jid st", jid=_ID, st={"type": "string", "enum": ["RUN", "OK", "ERR"]}, out=_object("", href=_TEXT, cnt={"type": "integer"}))  # fmt: skip
_USER: Final = _object("usr_id nm", usr_id=_ID, nm=_TEXT, mail=_TEXT)
_SPRINT: Final = _object("sp_id nm", sp_id=_ID, nm=_TEXT, run={"type": "boolean"}, win=_object("from to", **{"from": _MOMENT, "to": _MOMENT}))  # fmt: skip
_SKU: Final = _object("sku_id sku_name", sku_id=_ID, sku_name=_TEXT, qty={"type": "integer"})
_RECORD: Final = _object("rec_id", rec_id=_ID, views={"type": "integer"})
_FILE: Final = _object("file", file={"type": "string", "format": "binary"}, note=_TEXT)

_PATHS: Final = {
    "/v2/tks": {
        "get": _operation("", _list(_TICKET), parameters=_query(("st", _STATE), ("proj_key", _KEY), ("txt", _TEXT), *_PAGE)),
        "post": _operation("Add tk", _TICKET, _object("ttl proj_key", proj_key=_KEY, **_CHANGE), status="201"),
    },
    "/v2/tks/{tk_id}": {
        "parameters": [_in_path("tk_id")],
        "get": _operation("Get tk", _TICKET),
        "patch": _operation("Upd tk", _TICKET, _object("", state=_STATE, **_CHANGE)),
        "delete": _operation("Del tk", None, status="204"),
    },
    "/v2/tks/{tk_id}/cmts": {
        "parameters": [_in_path("tk_id")],
        "get": _operation("List cmts of tk", _list(_object("", cmt_id=_ID, txt=_TEXT, vis=_TEXT))),
        "post": _operation("Add cmt", _object("", cmt_id=_ID), _object("txt", txt=_TEXT, vis={"type": "string", "enum": ["INT", "EXT"], "default": "EXT"}), status="201"),
    },
    "/v2/tks/{tk_id}/att": {
        "parameters": [_in_path("tk_id")],
        "get": _operation("List att", _list(_object("", att_id=_ID, nm=_TEXT))),
        "post": _operation("Add att", _object("", att_id=_ID, nm=_TEXT), _FILE, status="201", media="multipart/form-data"),
    },
    "/v2/tks/{tk_id}/lnk": {
        "parameters": [_in_path("tk_id")],
        "post": _operation("Link to another tk", _object("", lnk_id=_ID), _object("rel tgt", rel={"type": "string", "enum": ["BLK", "DUP", "REL"]}, tgt=_object("tk_id", tk_id=_ID)), status="201"),
    },
    "/v2/tks/bulkPurge": {"post": _operation("Purge tks by flt", _JOB, _object("flt", flt=_FILTER), status="202")},
    "/v2/sprs": {
        "get": _operation("List sprints", _list(_SPRINT), parameters=_query(("run", {"type": "boolean"}), *_PAGE)),
        "post": _operation("Add sprint", _SPRINT, _object("nm win", nm=_TEXT, goal=_TEXT, win=_object("from to", **{"from": _MOMENT, "to": _MOMENT})), status="201"),
    },
    "/v2/sprs/{sp_id}/close": {
        "parameters": [_in_path("sp_id")],
        "post": _operation("Close sprint; open tks are carried", _JOB, _object("carry", carry=_object("to", to={"type": "string", "enum": ["NEXT", "BACKLOG"]})), status="202"),
    },
    "/v2/jobs": {"get": _operation("", _list(_JOB), parameters=_query(*_PAGE))},
    "/v2/jobs/{jid}": {"parameters": [_in_path("jid")], "get": _operation("Job st", _JOB)},
    "/v2/prjs": {"get": _operation("List projects", _list(_object("", proj_key=_KEY, nm=_TEXT)))},
    "/v2/usrs": {"get": _operation("Find usrs", _list(_USER), parameters=_query(("q", _TEXT), *_PAGE))},
    "/v2/me": {"get": _operation("The usr of the credential", _USER)},
    "/v2/skus": {"get": _operation("List skus", _list(_SKU), parameters=_query(("sku_name", _TEXT), *_PAGE))},
    "/v2/skus/{sku_id}/stk": {
        "parameters": [_in_path("sku_id")],
        "put": _operation("Set stk", _SKU, _object("qty rsn", qty={"type": "integer", "minimum": 0}, rsn=_object("cd", cd={"type": "string", "enum": ["COUNT", "LOSS", "RET"]}, txt=_TEXT))),
    },
    "/v2/exp": {"post": _operation("Export", _JOB, _object("ent fmt", ent={"type": "string", "enum": ["tks", "sprs", "recs"]}, fmt={"type": "string", "enum": ["CSV", "XLSX"]}, flt=_FILTER, cols={"type": "array", "items": _TEXT}), status="202")},
    "/v2/recs": {
        "get": _operation("List recs", {"type": "array", "items": _RECORD}, parameters=_query(("views_lt", {"type": "integer"}), ("pg_token", _TEXT))),
        "delete": _operation("Delete recs", _object("", cnt={"type": "integer"}), parameters=_query(("views_lt", {"type": "integer"}), ("crt_before", _MOMENT))),
    },
    "/v2/whks": {"post": _operation("Add whk", _object("", wh_id=_ID), _object("tgt evts", tgt=_object("url", url={"type": "string", "format": "uri"}), evts={"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["tk.crt", "tk.cls", "tk.upd", "sp.cls"]}}), status="201")},
}  # fmt: skip

DOCUMENT: Final = {
    "openapi": "3.0.3",
    "info": {"title": "Trk", "version": "2"},
    "servers": [{"url": BASE_URL}],
    "paths": _PATHS,
}


class Tracker:
    """The server: its state, and what it was asked.

    Attributes:
        received: the method, the path and the status of each request.
    """

    def __init__(self) -> None:
        titles = [("Crash on start", "MOB", "2026-11-30"), ("Slow search", "WEB", None), ("Typo in footer", "WEB", None),
                  ("Footer is wrong", "WEB", None), ("Dark mode", "MOB", None), ("Old thing", "MOB", None), ("Empty cart", "WEB", "2026-12-24")]  # fmt: skip
        self._numbers = count(9001)
        self.tickets: dict[str, Any] = {}
        for title, key, due in titles:
            number = self._new("tk")
            state = "DONE" if title == "Old thing" else "OPEN"
            self.tickets[number] = {
                "tk_id": number,
                "ttl": title,
                "proj_key": key,
                "due": due,
                "state": state,
            }
        self.records = {
            f"re_{n:04}": {"rec_id": f"re_{n:04}", "views": n % 5} for n in range(1, 11)
        }
        self.sprints = {"sp_1000": {"sp_id": "sp_1000", "nm": "Fall", "run": False}, "sp_1001": {"sp_id": "sp_1001", "nm": "Late fall", "run": True}}  # fmt: skip
        self.users = [
            {"usr_id": f"us_{n:04}", "nm": name}
            for n, name in enumerate(("Ada", "Ben", "Cleo", "Dana"), 7)
        ]
        self.skus = {f"sk_{n:04}": {"sku_id": f"sk_{n:04}", "sku_name": name, "qty": 1} for n, name in enumerate(("Red lamp", "Green lamp", "Blue chair", "Blue lamp"), 31)}  # fmt: skip
        self.jobs: dict[str, Any] = {}
        self.facts: list[Any] = []
        self.received: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        response = self._answer(request)
        self.received.append(
            f"{request.method} {request.url.raw_path.decode()} {response.status_code}"
        )
        return response

    def _new(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers)}"

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = unquote(request.url.path)
        for template, item in _PATHS.items():
            parts = re.split(r"\{\w+\}", template)
            match = re.fullmatch("([^/]+)".join(map(re.escape, parts)), path)
            operation = item.get(request.method.lower()) if match else None
            if match and operation and (match.re.groups == 0 or not path.endswith("bulkPurge")):
                return self._checked(request, template, operation, [*match.groups()])
        return _refuse(404, "E_ROUTE")

    def _checked(
        self, request: httpx.Request, template: str, operation: Any, ids: list[str]
    ) -> httpx.Response:
        known = {parameter["name"] for parameter in operation["parameters"]}
        query = {
            name: value for name, value in request.url.params.items() if name in known
        }  # others are ignored
        body: Any = None
        if "requestBody" in operation:
            [(media, content)] = operation["requestBody"]["content"].items()
            if media != request.headers.get("content-type", "").partition(";")[0]:
                return _refuse(415, "E_MEDIA")
            body = request.content.decode("utf-8", "replace")
            if media == "application/json":
                body = {
                    key: value
                    for key, value in json.loads(body).items()
                    if key in content["schema"]["properties"]
                }
                fault = _fault(body, content["schema"])
                if fault:
                    return _refuse(400, fault)
        held = {"tk_id": self.tickets, "sp_id": self.sprints, "sku_id": self.skus, "jid": self.jobs}
        for name, value in zip(re.findall(r"\{(\w+)\}", template), ids, strict=True):
            if value not in held[name]:
                return _refuse(404, "E_NF")
        return self._act(request.method, template, ids, query, body)

    def _act(
        self, method: str, template: str, ids: list[str], query: dict[str, str], body: Any
    ) -> httpx.Response:
        one = ids[0] if ids else ""
        where = f"{method} {template.removeprefix('/v2/')}"
        self.facts.append((where, ids, query, body))
        match where:
            case "GET tks":
                kept = [
                    t
                    for t in self.tickets.values()
                    if t["state"] == query.get("st", t["state"])
                    and t["proj_key"] == query.get("proj_key", t["proj_key"])
                    and query.get("txt", "").lower() in t["ttl"].lower()
                ]
                return _page(kept, query)
            case "POST tks":
                number = self._new("tk")
                self.tickets[number] = {"tk_id": number, "state": "OPEN", **body}
                return httpx.Response(201, json=self.tickets[number])
            case "GET tks/{tk_id}":
                return httpx.Response(200, json=self.tickets[one])
            case "PATCH tks/{tk_id}":
                self.tickets[one].update(body)
                return httpx.Response(200, json=self.tickets[one])
            case "DELETE tks/{tk_id}":
                del self.tickets[one]
                return httpx.Response(204)
            case "GET sprs":
                return _page(
                    [
                        s
                        for s in self.sprints.values()
                        if str(s["run"]).lower() == query.get("run", str(s["run"])).lower()
                    ],
                    query,
                )
            case "POST sprs":
                return httpx.Response(201, json={"sp_id": self._new("sp"), **body})
            case "GET usrs":
                return _page(
                    [u for u in self.users if query.get("q", "").lower() in u["nm"].lower()], query
                )
            case "GET me":
                return httpx.Response(200, json=self.users[0])
            case "GET prjs":
                return _page(
                    [{"proj_key": "MOB", "nm": "Mobile"}, {"proj_key": "WEB", "nm": "Web"}], query
                )
            case "GET skus":
                return _page(
                    [
                        s
                        for s in self.skus.values()
                        if query.get("sku_name", "").lower() in s["sku_name"].lower()
                    ],
                    query,
                )
            case "PUT skus/{sku_id}/stk":
                self.skus[one]["qty"] = body["qty"]
                return httpx.Response(200, json=self.skus[one])
            case "GET jobs":
                return _page([*self.jobs.values()], query)
            case "GET jobs/{jid}":
                job = self.jobs[one]
                job["st"] = "OK"
                return httpx.Response(
                    200, json=job | {"out": {"href": f"{BASE_URL}/files/{one}", "cnt": 2}}
                )
            case "GET recs":
                kept = [
                    r for r in self.records.values() if r["views"] < int(query.get("views_lt", 99))
                ]
                start = int(query.get("pg_token", "p0")[1:])
                more = {"X-Next-Pg-Token": f"p{start + LIMIT}"} if start + LIMIT < len(kept) else {}
                return httpx.Response(200, json=kept[start : start + LIMIT], headers=more)
            case "DELETE recs":
                gone = [
                    n
                    for n, r in self.records.items()
                    if r["views"] < int(query.get("views_lt", 99))
                ]
                for number in gone:
                    del self.records[number]
                return httpx.Response(200, json={"cnt": len(gone)})
            case "POST tks/bulkPurge" | "POST sprs/{sp_id}/close" | "POST exp":
                number = self._new("jb")
                self.jobs[number] = {"jid": number, "st": "RUN"}
                return httpx.Response(
                    202, json=self.jobs[number], headers={"Location": f"/v2/jobs/{number}"}
                )
            case "GET tks/{tk_id}/cmts" | "GET tks/{tk_id}/att":
                return _page([], query)
        name, prefix = {
            "cmts": ("cmt_id", "cm"),
            "att": ("att_id", "at"),
            "lnk": ("lnk_id", "ln"),
            "whks": ("wh_id", "wh"),
        }[template.rpartition("/")[2]]
        return httpx.Response(201, json={name: self._new(prefix)})


def _refuse(status: int, code: str) -> httpx.Response:
    return httpx.Response(status, json={"err": code})


def _page(items: list[Any], query: dict[str, str]) -> httpx.Response:
    start, size = int(query.get("_token", "t0")[1:]), min(int(query.get("_lim", LIMIT)), 100)
    meta = {"_token": f"t{start + size}"} if start + size < len(items) else {}
    return httpx.Response(200, json={"data": items[start : start + size], "meta": meta})


def _fault(value: Any, schema: Any) -> str:
    """Return the code of the first fault of a body, as servers name them."""
    if value is None:
        return "" if schema.get("nullable") else "E_NULL"
    match schema["type"]:
        case "object":
            if not isinstance(value, dict) or [
                name for name in schema.get("required", ()) if name not in value
            ]:
                return "E_REQ"
            known = schema["properties"]
            return next(
                filter(
                    None,
                    (_fault(item, known[name]) for name, item in value.items() if name in known),
                ),
                "",
            )
        case "array":
            return (
                "E_ARR"
                if not isinstance(value, list)
                else next(filter(None, (_fault(v, schema["items"]) for v in value)), "")
            )
        case "string":
            kinds = {"date": date.fromisoformat, "date-time": datetime.fromisoformat}
            try:
                is_right = (
                    isinstance(value, str)
                    and re.search(schema.get("pattern", ""), value) is not None
                )
                kinds.get(schema.get("format", ""), str)(value)
            except ValueError:
                is_right = False
            return "" if is_right and value in schema.get("enum", [value]) else "E_VAL"
    return "" if isinstance(value, int | float) else "E_NUM"


def done(tracker: Tracker) -> list[bool]:
    """Return whether each task is done; the fourth needs an answer and is done by reading all pages."""
    facts = tracker.facts
    ticket = {t["ttl"]: t for t in tracker.tickets.values()}
    made = ticket.get("Login page is blank", {})

    def sent(where: str) -> list[Any]:
        return [(ids[0] if ids else "", body) for place, ids, _, body in facts if place == where]

    def on(title: str, where: str, **members: Any) -> bool:
        return any(
            i == ticket[title]["tk_id"] and members.items() <= b.items() for i, b in sent(where)
        )

    crash, slow, dark = (
        ticket.get("Crash on start", {}),
        ticket.get("Slow search", {}),
        ticket.get("Dark mode", {}),
    )
    pages = {
        q.get("_token")
        for place, _, q, _ in facts
        if place == "GET tks" and "DONE" not in q.values()
    }
    read = any(place == "GET jobs/{jid}" for place, *_ in facts)
    wrong = {"tk_id": ticket["Footer is wrong"]["tk_id"]}
    return [
        (made.get("prio"), made.get("proj_key"), made.get("due")) == ("P0", "MOB", "2026-12-01"),
        crash.get("state") == "DONE",
        slow.get("asgn") == {"usr_id": "us_0010"},
        len(pages) > 1 or any(int(q.get("_lim", 3)) > 6 for place, _, q, _ in facts if place == "GET tks"),
        "due" in crash and crash["due"] is None,
        on("Slow search", "POST tks/{tk_id}/cmts", txt="We found the reason", vis="INT"),
        any(i == slow["tk_id"] and "notes.txt" in b and "hello" in b for i, b in sent("POST tks/{tk_id}/att")),
        on("Typo in footer", "POST tks/{tk_id}/lnk", rel="DUP", tgt=wrong),
        any(b["nm"] == "Winter" and b["win"]["from"][:10] == "2026-12-01" and b["win"]["to"][:10] == "2026-12-14" for _, b in sent("POST sprs")),
        read and ("sp_1001", {"carry": {"to": "BACKLOG"}}) in sent("POST sprs/{sp_id}/close"),
        tracker.skus["sk_0034"]["qty"] == 40 and any(b["rsn"]["cd"] == "COUNT" for _, b in sent("PUT skus/{sku_id}/stk")),
        read and any(b["ent"] == "tks" and b["fmt"] == "XLSX" and b.get("flt", {}).get("proj_key") == "WEB" for _, b in sent("POST exp")),
        {r["views"] for r in tracker.records.values()} == {2, 3, 4},
        any(b["tgt"]["url"] == "https://hooks.example/t" and {*b["evts"]} == {"tk.crt", "tk.cls"} for _, b in sent("POST whks")),
        dark.get("est") == {"val": 3, "unit": "d"} and dark.get("sp_id") == "sp_1001",
    ]  # fmt: skip
