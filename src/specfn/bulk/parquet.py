"""Parquet as source and output of a bulk check, with pyarrow.

A Parquet file cannot be continued after an interruption. So the partial output is a sequence of Arrow streams, each
after its length, which become row groups at the end.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from specfn._internal.caller_arguments import missing_extra
from specfn.bulk.rows import ADDED, READ, Counts, RowChecker, json_text
from specfn.bulk.worker_pool import CheckChunk, Chunk, Piece
from specfn.errors import UsageError

#: The bytes of a length.
_LENGTH: Final = 8


def check_batch(rows: RowChecker, batch: Any) -> Piece:
    """Check a record batch, and return it with the added columns as an Arrow stream."""
    arrow = import_module("pyarrow")
    names = [name for name in READ if batch.schema.get_field_index(name) >= 0]
    counts, checked = Counts(), []
    for index, row in enumerate(_rows(batch, names)):
        checked.append(rows.check(row))
        counts = counts.add_row(checked[index])
    kept = [index for index, name in enumerate(batch.schema.names) if name not in ADDED]
    fields = [batch.schema.field(index) for index in kept]
    columns = [batch.column(index) for index in kept]
    for name in ADDED:
        kind = arrow.bool_() if name == "valid" else arrow.string()
        fields.append(arrow.field(name, kind))
        columns.append(arrow.array([_cell(row[name]) for row in checked], kind))
    result = arrow.record_batch(columns, schema=arrow.schema(fields))
    return Piece(_frame(arrow, result), counts)


def _rows(batch: Any, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the columns that a check reads, by row."""
    columns = [batch.column(name).to_pylist() for name in names]
    for index in range(batch.num_rows):
        values = (column[index] for column in columns)
        yield dict(zip(names, values, strict=True))


def _cell(value: Any) -> Any:
    return (
        json_text(value).decode()
        if isinstance(value, dict | list | int | float) and not isinstance(value, bool)
        else value
    )


def _frame(arrow: Any, batch: Any) -> bytes:
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return len(content).to_bytes(_LENGTH, "big") + content


@dataclass(frozen=True, slots=True)
class Parquet:
    """The format Parquet."""

    check: CheckChunk = check_batch

    def chunks(self, source: str, start: int, size: int) -> Iterator[Chunk]:
        """Yield record batches after a number of rows."""
        file = _open(source)
        with file:
            whole, end = file.metadata.num_rows, 0
            if not whole:
                yield Chunk(_empty(file.schema_arrow), 0, 1.0)
            for batch in file.iter_batches(batch_size=size):
                end += batch.num_rows
                if end > start:
                    rest = batch.slice(max(0, start - end + batch.num_rows))
                    yield Chunk(rest, end, end / whole)

    def finish(self, partial: str, target: str) -> None:
        """Write the partial output as one Parquet file, then move it to its target."""
        parquet = import_module("pyarrow.parquet")
        complete, writer = f"{partial}.parquet", None
        for table in _tables(partial):
            writer = writer or parquet.ParquetWriter(complete, table.schema)
            writer.write_table(table)
        assert writer is not None
        writer.close()
        os.replace(complete, target)  # noqa: PTH105  # paths are texts here
        os.unlink(partial)  # noqa: PTH108  # a path is a text here


def _tables(partial: str) -> Iterator[Any]:
    arrow = import_module("pyarrow")
    with open(partial, "rb") as stream:  # noqa: PTH123  # a path is a text here
        while length := stream.read(_LENGTH):
            content = stream.read(int.from_bytes(length, "big"))
            yield arrow.ipc.open_stream(content).read_all()


def _open(source: str) -> Any:
    """Open a Parquet file.

    Raises:
        UsageError: pyarrow is not installed, the file is not Parquet, or its arguments are not texts.
    """
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise missing_extra("reading Parquet", "parquet", "pyarrow") from None
    try:
        file = parquet.ParquetFile(source)
    except (OSError, ValueError, arrow.ArrowException) as error:
        raise UsageError(f"{source!r} cannot be read as Parquet: {error}") from None
    index = file.schema_arrow.get_field_index("arguments")
    if index >= 0 and not _is_text(arrow, file.schema_arrow.field(index).type):
        file.close()
        raise UsageError(
            f"the column arguments of {source!r} must contain texts, because Parquet has no difference between an "
            "absent property and null; write the arguments as JSON text"
        )
    return file


def _is_text(arrow: Any, kind: Any) -> bool:
    types = arrow.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    tests = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    return any(test(kind) for test in (*tests, types.is_binary, types.is_large_binary))


def _empty(schema: Any) -> Any:
    return import_module("pyarrow").RecordBatch.from_pylist([], schema=schema)
