"""What users do with servers of other people: create, list with pages, read, change, files, refused calls, delete."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """A call, which specfn and curl make, each with an object of its own.

    In texts, ``$twin`` is the name of the one who calls, of eight hexadecimal digits. A text ``$name`` is a value of an earlier response.

    Attributes:
        name: method and path.
        given: the arguments.
        status: the status of the response.
        saved: the places of values in the response, by the names that later calls use.
        until: the call is made again until this place is in the response, because the server works meanwhile.
        form: the body is sent as multipart/form-data.
        query: the query that curl sends, where it is not names and values.
    """

    name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    saved: Mapping[str, Sequence[str | int]] = field(default_factory=dict)
    until: Sequence[str | int] = ()
    form: bool = False
    query: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Pages:
    """A list that is read page by page; curl reads it at once.

    Attributes:
        name: method and path.
        given: the arguments of the first page.
        whole: the query of the whole list.
        items: the place of the items.
        stopped: why the iteration ends.
    """

    name: str
    given: Mapping[str, Any]
    whole: Mapping[str, Any]
    items: Sequence[str]
    stopped: str = "end"


#: Every function that reads and whose required arguments are known.
READ_ALL = "read all"

Calls = Sequence[Call | Pages | str]

NO_UUID = "00000000-0000-4000-8000-000000000000"

# fmt: off

_WATCH = {"url": "http://127.0.0.1:1/$twin?a=1&b=%20", "title": "Bücher – $twin", "paused": True}

CHANGEDETECTION_CALLS: Calls = [
    Call("POST /tag", {"body": {"title": "tag $twin"}}, 201, {"tag": ("uuid",)}),
    Call("PUT /tag/{uuid}", {"uuid": "$tag", "body": {"title": "of $twin", "notification_muted": True}}),
    Call("GET /tag/{uuid}", {"uuid": "$tag"}),
    Call("GET /tag/{uuid}", {"uuid": NO_UUID}, 404),
    Call("POST /watch", {"body": {**_WATCH, "tags": ["$tag"], "headers": {"X-A": "b: c"}, "time_between_check": {"hours": 5}}},
         201, {"uuid": ("uuid",)}),
    Call("POST /watch", {"body": {"url": "javascript:alert(1)"}}, 400),
    Call("GET /watch/{uuid}", {"uuid": "$uuid"}),
    Call("PUT /watch/{uuid}", {"uuid": "$uuid", "body": {"title": "“$twin” \\ 100%", "include_filters": ["div > p", "//a[@href='x']"]}}),
    Call("PUT /watch/{uuid}", {"uuid": NO_UUID, "body": {"title": "x"}}, 404),
    Call("POST /import", {"query": {"tag": "many"}, "body": "http://127.0.0.1:1/1$twin\nhttp://127.0.0.1:1/2$twin?ü=é"}),
    Call("POST /import", {"body": "no address"}, 400),
    Call("GET /search", {"query": {"q": "127.0.0.1", "partial": "true"}}),
    Call("GET /search", {"query": {"q": "100% & “x”"}}),
    Call("GET /watch", {"query": {"tag": "many"}}),
    Call("PUT /notifications", {"body": {"notification_urls": ["json://127.0.0.1:1/all"]}}),
    Call("POST /notifications", {"body": {"notification_urls": ["xml://127.0.0.1:1/$twin"]}}, 201),
    Call("GET /watch/{uuid}/history/{timestamp}", {"uuid": "$uuid", "timestamp": "latest"}, 404),
    READ_ALL,
    Call("DELETE /notifications", {"body": {"notification_urls": ["xml://127.0.0.1:1/$twin"]}}, 204),
    Call("DELETE /watch/{uuid}", {"uuid": "$uuid"}, 204),
    Call("GET /watch/{uuid}", {"uuid": "$uuid"}, 404),
    Call("DELETE /tag/{uuid}", {"uuid": "$tag"}, 204),
]

_SPAN = {
    "name": "search – $twin", "span_kind": "TOOL", "start_time": "2026-01-02T03:04:05+00:00",
    "end_time": "2026-01-02T03:04:06.5+00:00", "status_code": "OK", "attributes": {"input.value": "ü", "n": 0.1, "big": 2**53 - 1},
}
_MESSAGES = {"type": "chat", "messages": [{"role": "user", "content": "Which book is {{name}}?"}]}
_VERSION = {
    "model_provider": "OPENAI", "model_name": "any", "template": _MESSAGES, "template_type": "CHAT", "template_format": "MUSTACHE",
    "invocation_parameters": {"type": "openai", "openai": {"temperature": 0.5}},
}
_TABLE = "data:text/csv;name=books.csv;base64," + b64encode(b'title,pages\n"A, ""B""",1\nC\xc3\xbc,2\n').decode()
_RUN = {"repetition_number": 1, "start_time": "2026-01-02T03:04:05Z", "end_time": "2026-01-02T03:04:06Z"}

PHOENIX_CALLS: Calls = [
    Call("POST /v1/projects", {"body": {"name": "$twin", "description": None}}, saved={"project_identifier": ("data", "id")}),
    Call("POST /v1/projects", {"body": {"name": "default", "description": "x"}}, 500),
    Call("PUT /v1/projects/{project_identifier}", {"project_identifier": "$twin", "body": {"description": "“$twin”"}}),
    Call("GET /v1/projects/{project_identifier}", {"project_identifier": "$twin"}),
    Call("GET /v1/projects/{project_identifier}", {"project_identifier": "none ü"}, 404),
    *(Call("POST /v1/projects/{project_identifier}/spans", {"project_identifier": "$twin", "body": {"data": [
        {**_SPAN, "context": {"trace_id": f"$twin{n:024}", "span_id": f"$twin{n:08}"}}]}}, 202)
      for n in range(5)),
    Call("GET /v1/projects/{project_identifier}/spans", {"project_identifier": "$twin", "query": {"limit": 1000}}, until=("data", 4)),
    Call("POST /v1/span_annotations", {"query": {"sync": True}, "body": {"data": [
        {"name": "good", "annotator_kind": "HUMAN", "span_id": f"$twin{1:08}",
         "result": {"label": "yes", "score": 1.0}}]}}),
    Pages("GET /v1/projects/{project_identifier}/spans", {"project_identifier": "$twin", "query": {"limit": 2}}, {"limit": 9}, ("data",)),
    Call("POST /v1/datasets/upload", {"query": {"sync": True}, "body": {
        "name": "books $twin", "action": "create", "file": _TABLE, "input_keys[]": ["title"], "output_keys[]": ["pages"]}},
         saved={"id": ("data", "dataset_id"), "version": ("data", "version_id")}, form=True),
    Call("GET /v1/datasets/{id}/examples", {"id": "$id"}, saved={"example": ("data", "examples", 0, "id")}),
    Call("GET /v1/datasets", {"query": {"name": "books $twin"}}),
    Call("POST /v1/datasets/{dataset_identifier}/splits", {"dataset_identifier": "$id", "body": {
        "name": "$twin", "color": "#33c5e8", "metadata": {"a": [1, 2.5, None, {}]}, "example_ids": ["$example"]}}, 201),
    Call("POST /v1/dataset_labels", {"body": {"name": "of $twin", "color": "#00cc88"}}, 201, {"label_id": ("data", "id")}),
    Call("PATCH /v1/dataset_labels/{label_id}", {"label_id": "$label_id", "body": {"description": "x"}}),
    Call("POST /v1/datasets/{dataset_id}/experiments", {"dataset_id": "$id", "body": {"name": "$twin", "repetitions": 2}},
         saved={"experiment_id": ("data", "id")}),
    Call("POST /v1/experiments/{experiment_id}/runs", {"experiment_id": "$experiment_id", "body": {
        **_RUN, "dataset_example_id": "$example", "output": {"answer": ["ü", 0, 1e-9]}}}, saved={"run": ("data", "id")}),
    Call("PATCH /v1/experiments/{experiment_id}", {"experiment_id": "$experiment_id", "body": {"metadata": {"x": "é"}}}),
    Call("POST /v1/prompts", {"body": {"prompt": {"name": "prompt-$twin"}, "version": _VERSION}},
         saved={"prompt_version_id": ("data", "id")}),
    Call("POST /v1/prompt_versions/{prompt_version_id}/tags", {"prompt_version_id": "$prompt_version_id", "body": {"name": "live"}}, 204),
    Call("GET /v1/prompts/{prompt_identifier}/tags/{tag_name}", {"prompt_identifier": "prompt-$twin", "tag_name": "live"}),
    Call("GET /v1/prompts/{prompt_identifier}/latest", {"prompt_identifier": "none"}, 404),
    *(Call("POST /v1/annotation_configs", {"body": {
        "name": f"{n} $twin", "type": "CONTINUOUS", "optimization_direction": "MAXIMIZE", "lower_bound": -0.5, "upper_bound": n}})
      for n in range(2)),
    Pages("GET /v1/annotation_configs", {"query": {"limit": 3}}, {"limit": 1000}, ("data",)),
    READ_ALL,
    Call("DELETE /v1/datasets/{id}", {"id": "$id"}, 204),
    Call("GET /v1/datasets/{id}", {"id": "$id"}, 404),
    Call("GET /v1/datasets/{id}", {"id": "no id"}, 422),
    Call("DELETE /v1/projects/{project_identifier}", {"project_identifier": "$twin"}, 204),
]
_LABELS = """<View><Text name="text" value="$text"/><Choices name="kind" toName="text"><Choice value="a &lt; b"/><Choice value="ü"/></Choices></View>"""
_CHOICE = {"from_name": "kind", "to_name": "text", "type": "choices", "value": {"choices": ["ü"]}}
_TASKS = [{"data": {"text": f"“{n}” – ü\n\t"}, "meta": {"n": (n + 1) / 7, "big": 2**53 + 1}} for n in range(7)]

LABEL_STUDIO_CALLS: Calls = [
    Call("POST /api/projects/", {"body": {"title": "Books $twin", "label_config": _LABELS, "color": "#AABBCC"}}, 201, {"project": ("id",)}),
    Call("POST /api/projects/", {"body": {"title": "Books", "label_config": "<View>"}}, 400),
    Call("POST /api/projects/validate/", {"body": {"label_config": "<View"}}, 400),
    Call("POST /api/projects/{id}/validate/", {"id": "$project", "body": {"label_config": _LABELS}}),
    Call("PATCH /api/projects/{id}/", {"id": "$project", "body": {"description": "of “$twin”", "maximum_annotations": 2, "show_skip_button": False}}),
    Call("GET /api/projects/{id}/", {"id": "$project"}),
    Call("GET /api/projects/{id}/", {"id": 10**9}, 404),
    Call("POST /api/projects/{id}/import", {"id": "$project", "query": {"return_task_ids": True}, "body": _TASKS}, 201, {"id": ("task_ids", 0)}),
    Call("GET /api/tasks/", {"query": {"project": "$project", "fields": "all"}}),
    Call("GET /api/tasks/", {"query": {"project": 10**9}}, 404),
    Pages("GET /api/tasks/", {"query": {"project": "$project", "page": 1, "page_size": 3}}, {"project": "$project", "page_size": 100}, ("tasks",)),
    Pages("GET /api/projects/{id}/tasks/", {"id": "$project", "query": {"page": 1, "page_size": 2}}, {"page_size": 100}, ()),
    Call("PATCH /api/tasks/{id}/", {"id": "$id", "body": {"data": {"text": "“$twin”"}}}),
    Call("GET /api/tasks/{id}/", {"id": "$id"}),
    Call("POST /api/tasks/{id}/annotations/", {"id": "$id", "body": {"result": [_CHOICE], "lead_time": 0.1, "ground_truth": True}},
         201, {"annotation": ("id",)}),
    Call("PATCH /api/annotations/{id}/", {"id": "$annotation", "body": {"was_cancelled": True}}),
    Call("GET /api/annotations/{id}/", {"id": "$annotation"}),
    Call("GET /api/projects/{id}/export", {"id": "$project", "query": {"export_type": "CSV", "download_all_tasks": True}}),
    Call("GET /api/projects/{id}/export", {"id": "$project", "query": {"export_type": "JSON", "ids": ["$id"]}}),
    Call("GET /api/projects/{id}/export/formats", {"id": "$project"}),
    Call("POST /api/predictions/", {"body": {"task": "$id", "result": [_CHOICE], "score": 0.25, "model_version": "v $twin"}}, 201),
    Call("POST /api/webhooks/", {"body": {"url": "http://127.0.0.1:1/$twin"}}, 403),
    Call("POST /api/webhooks/", {"body": {"url": "http://9.9.9.9/$twin?a=b", "project": "$project", "actions": ["TASKS_CREATED"],
                                          "send_for_all_actions": False, "headers": {"X-A": "ü"}}}, 201, {"hook": ("id",)}),
    Call("PATCH /api/webhooks/{id}/", {"id": "$hook", "body": {"is_active": False}}),
    Call("DELETE /api/webhooks/{id}/", {"id": "$hook"}, 204),
    Call("POST /api/dm/views/", {"body": {"project": "$project", "data": {"title": "$twin", "filters": {"conjunction": "and", "items": []}}}}, 201),
    Call("POST /api/labels/", {"body": [{"project": "$project", "from_name": "kind", "title": "ü $twin", "value": ["$twin", 1]}]}, 201),
    READ_ALL,
    Pages("GET /api/projects/", {"query": {"page": 1, "page_size": 1}}, {"page_size": 100}, ("results",)),
    Call("DELETE /api/annotations/{id}/", {"id": "$annotation"}, 204),
    Call("DELETE /api/tasks/{id}/", {"id": "$id"}, 204),
    Call("GET /api/tasks/{id}/", {"id": "$id"}, 404),
    Call("DELETE /api/projects/{id}/", {"id": "$project"}, 204),
]
_VARIABLES = "/api/v2/variables"
_DAG = "/api/v2/dags/{dag_id}"

AIRFLOW_CALLS: Calls = [
    *(Call(f"POST {_VARIABLES}", {"body": {"key": f"$twin/{n} ü", "value": value, "description": "“$twin”"}}, 201)
      for n, value in enumerate([{"a": [1, 2.5, None]}, "12", "{", 0, True])),
    Call(f"POST {_VARIABLES}", {"body": {"key": "$twin/1 ü", "value": 1}}, 409),
    Call(f"GET {_VARIABLES}/{{variable_key}}", {"variable_key": "$twin/0 ü"}),
    Call(f"GET {_VARIABLES}/{{variable_key}}", {"variable_key": "none"}, 404),
    Call(f"PATCH {_VARIABLES}/{{variable_key}}", {"variable_key": "$twin/2 ü", "query": {"update_mask": ["description"]},
                                                  "body": {"key": "$twin/2 ü", "value": "kept", "description": "new"}}),
    Call(f"PATCH {_VARIABLES}", {"body": {"actions": [
        {"action": "create", "entities": [{"key": "b$twin", "value": "x"}], "action_on_existence": "overwrite"},
        {"action": "delete", "entities": ["$twin/1 ü", "c$twin"], "action_on_non_existence": "skip"}]}}),
    Call(f"GET {_VARIABLES}", {"query": {"order_by": ["-key"], "variable_key_pattern": "%$twin%"}}),
    Pages(f"GET {_VARIABLES}", {"query": {"limit": 3, "order_by": ["description", "-key"]}},
          {"limit": 100, "order_by": ["description", "-key"]}, ("variables",)),
    Call("POST /api/v2/connections", {"body": {"connection_id": "at-$twin", "conn_type": "http", "host": "127.0.0.1", "port": 1,
                                               "extra": '{"a": "ü"}'}}, 201, {"connection_id": ("connection_id",)}),
    Call("PATCH /api/v2/connections/{connection_id}", {"connection_id": "at-$twin", "query": {"update_mask": ["description"]}, "body": {
        "connection_id": "at-$twin", "conn_type": "http", "description": "x"}}),
    Call("POST /api/v2/pools", {"body": {"name": "pool $twin", "slots": 3, "include_deferred": True}}, 201),
    Call("PATCH /api/v2/pools/{pool_name}", {"pool_name": "pool $twin", "query": {"update_mask": ["slots"]},
                                             "body": {"pool": "pool $twin", "slots": -1, "include_deferred": False}}),
    Call("GET /api/v2/pools/{pool_name}", {"pool_name": "pool $twin"}),
    Call("PATCH /api/v2/pools/{pool_name}", {"pool_name": "default_pool", "body": {"pool": "x"}}, 400),
    Call(f"PATCH {_DAG}", {"dag_id": "books", "body": {"is_paused": True}}),
    *(Call(f"POST {_DAG}/dagRuns", {"dag_id": "books", "body": {"dag_run_id": f"{n}+$twin", "logical_date": None, "conf": {"count": n}, "note": "“"}})
      for n in range(3)),
    Call(f"POST {_DAG}/dagRuns", {"dag_id": "books", "body": {"logical_date": None, "dag_run_id": "a b"}}, 400),
    Call(f"GET {_DAG}/dagRuns/{{dag_run_id}}", {"dag_id": "books", "dag_run_id": "0+$twin"}, saved={"dag_run_id": ("dag_run_id",)}),
    Call(f"GET {_DAG}/dagRuns/{{dag_run_id}}", {"dag_id": "books", "dag_run_id": "none"}, 404),
    Call(f"GET {_DAG}/dagRuns", {"dag_id": "~", "query": {"state": ["queued", "success"], "run_after_gte": "2026-01-01T00:00:00+00:00"}}),
    Pages(f"GET {_DAG}/dagRuns", {"dag_id": "books", "query": {"limit": 2, "order_by": ["id"]}}, {"limit": 9, "order_by": ["id"]}, ("dag_runs",)),
    Call(f"PATCH {_DAG}/dagRuns/{{dag_run_id}}", {"dag_id": "books", "dag_run_id": "1+$twin", "body": {"state": "success", "note": "ü"}}),
    Call(f"POST {_DAG}/dagRuns/list", {"dag_id": "~", "body": {"dag_ids": ["books"], "page_limit": 1, "order_by": "id"}}),
    READ_ALL,
    Call(f"DELETE {_DAG}/dagRuns/{{dag_run_id}}", {"dag_id": "books", "dag_run_id": "2+$twin"}, 204),
    Call("DELETE /api/v2/pools/{pool_name}", {"pool_name": "pool $twin"}, 204),
    Call("DELETE /api/v2/connections/{connection_id}", {"connection_id": "at-$twin"}, 204),
    Call(f"DELETE {_VARIABLES}/{{variable_key}}", {"variable_key": "$twin/0 ü"}, 204),
]

_BOOKS = "/items/books"

DIRECTUS_CALLS: Calls = [
    *(Call(f"POST {_BOOKS}", {"body": {"title": f"{n} – $twin ü", "pages": n, "price": n / 8, "tags": [n, {"a": None}]}},
           saved={"book": ("data", "id")}) for n in range(4)),
    Call(f"POST {_BOOKS}", {"body": [{"title": "“$twin”"}, {"title": "% & +"}]}),
    Call(f"POST {_BOOKS}", {"body": {"id": "$book"}}, 400),
    Call(f"GET {_BOOKS}/{{id}}", {"id": "$book"}),
    Call(f"GET {_BOOKS}/{{id}}", {"id": 10**9}, 403),
    Call(f"PATCH {_BOOKS}/{{id}}", {"id": "$book", "body": {"pages": None, "price": 1e-7}}),
    Call(f"GET {_BOOKS}", {"query": {"search": "$twin", "limit": 2, "meta": "*"}}),
    Call(f"GET {_BOOKS}", {"query": {"sort": ["-pages", "id"], "fields": ["title", "pages"], "filter": {"pages": {"_gte": 1}}}},
         query={"sort": "-pages,id", "fields": "title,pages", "filter": '{"pages": {"_gte": 1}}'}),
    Pages(f"GET {_BOOKS}", {"query": {"limit": 3}}, {"limit": 100}, ("data",)),
    Call("POST /folders", {"body": {"name": "of $twin"}}, saved={"id": ("data", "id")}),
    Call("PATCH /folders/{id}", {"id": "$id", "body": {"name": "“$twin”"}}),
    Call("GET /folders/{id}", {"id": "$id"}),
    Call("GET /collections/{id}", {"id": "books"}),
    Call("GET /fields/{collection}", {"collection": "books"}),
    Call("GET /fields/{collection}/{id}", {"collection": "books", "id": "tags"}),
    Call("POST /roles", {"body": {"name": "role $twin", "description": "ü"}}),
    Call("POST /auth/login", {"body": {"email": "admin@example.com", "password": "no"}}, 401),
    Call("GET /users/me"),
    READ_ALL,
    Call("DELETE /folders/{id}", {"id": "$id"}, 204),
    Call(f"DELETE {_BOOKS}/{{id}}", {"id": "$book"}, 204),
    Call(f"GET {_BOOKS}/{{id}}", {"id": "$book"}, 403),
]
