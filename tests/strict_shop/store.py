"""Storage of the shop in SQLite."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any, TypeAlias
from uuid import uuid4

from orjson import dumps, loads

Row: TypeAlias = dict[str, Any]

_TABLES = """
CREATE TABLE categories (
    slug TEXT PRIMARY KEY, name TEXT NOT NULL,
    parent TEXT REFERENCES categories ON DELETE CASCADE);
CREATE TABLE products (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, price REAL NOT NULL, stock INTEGER NOT NULL,
    status TEXT NOT NULL, tags TEXT NOT NULL,
    category TEXT REFERENCES categories ON DELETE SET NULL,
    description TEXT, createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL);
CREATE TABLE images (
    id TEXT PRIMARY KEY, productId TEXT NOT NULL REFERENCES products ON DELETE CASCADE,
    mediaType TEXT NOT NULL, size INTEGER NOT NULL, fileName TEXT NOT NULL, caption TEXT,
    content BLOB NOT NULL);
CREATE TABLE customers (
    id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL, born TEXT,
    newsletter INTEGER NOT NULL, createdAt TEXT NOT NULL);
CREATE TABLE orders (
    id TEXT PRIMARY KEY, customerId INTEGER NOT NULL, status TEXT NOT NULL, lines TEXT NOT NULL,
    payment TEXT NOT NULL, note TEXT, total REAL NOT NULL, placedAt TEXT NOT NULL,
    idempotencyKey TEXT UNIQUE);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY, email TEXT NOT NULL, text TEXT NOT NULL, topics TEXT NOT NULL,
    urgent INTEGER NOT NULL);
"""
_ORDERS = {"name": "name", "-name": "name DESC", "price": "price", "-price": "price DESC"}


class Store:
    """A database connection with a lock; rows have the form of the document's schemas.

    Each method is one transaction. A reader with its own connection sees all completed calls.
    """

    def __init__(self, database: Path) -> None:
        self._lock = RLock()
        self._connection = sqlite3.connect(database, check_same_thread=False, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        self._connection.executescript("PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF;")
        self._connection.executescript(_TABLES)

    def close(self) -> None:
        """Close the connection and keep the file."""
        with self._lock:
            self._connection.close()

    def _rows(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Row]:
        with self._lock:
            return [dict(row) for row in self._connection.execute(statement, values)]

    def _insert(self, table: str, row: Row) -> int | None:
        columns, places = ", ".join(row), ", ".join(f":{name}" for name in row)
        statement = f"INSERT INTO {table} ({columns}) VALUES ({places})"
        with self._lock:
            return self._connection.execute(statement, row).lastrowid

    def products(
        self, filters: Mapping[str, Any], *, limit: int, offset: int
    ) -> tuple[list[Row], int]:
        """Return a page of products and the total number of products."""
        where, values = _product_filter(filters)
        total = self._rows(f"SELECT count(*) AS n FROM products WHERE {where}", values)[0]["n"]
        order = _ORDERS[filters.get("sort", "name")]
        rows = self._rows(
            f"SELECT * FROM products WHERE {where} ORDER BY {order}, id LIMIT ? OFFSET ?",
            (*values, limit, offset),
        )
        return [_product(row) for row in rows], total

    def product(self, key: str) -> Row | None:
        """Return a product; ``None`` if it does not exist."""
        return next(map(_product, self._rows("SELECT * FROM products WHERE id = ?", (key,))), None)

    def put_product(self, product: Row, *, key: str | None = None) -> Row:
        """Store a new product, or replace the product with that key."""
        with self._lock:
            now = _now()
            known = self.product(key) if key else None
            row = {
                "status": "draft",
                "category": None,
                "description": None,
                **product,
                "id": key or str(uuid4()),
                "tags": _text(product.get("tags", [])),
                "createdAt": known["createdAt"] if known else now,
                "updatedAt": now,
            }
            if known:
                columns = ", ".join(f"{name} = :{name}" for name in row)
                self._rows(f"UPDATE products SET {columns} WHERE id = :id", row)
            else:
                self._insert("products", row)
            return _product(self._rows("SELECT * FROM products WHERE id = ?", (row["id"],))[0])

    def remove_product(self, key: str) -> bool:
        """Remove a product and its images; return false if it does not exist."""
        return bool(self._rows("DELETE FROM products WHERE id = ? RETURNING id", (key,)))

    def add_image(self, product: str, image: Row, content: bytes) -> Row:
        """Store an image of a product."""
        row = {"id": str(uuid4()), **image, "size": len(content)}
        self._insert("images", {**row, "productId": product, "content": content})
        return row

    def image(self, product: str, key: str) -> Row | None:
        """Return an image with its content; ``None`` if it does not exist."""
        found = self._rows("SELECT * FROM images WHERE id = ? AND productId = ?", (key, product))
        return found[0] if found else None

    def categories(self) -> list[dict[str, Any]]:
        """Return the tree of categories: the top level with nested children."""
        nodes: dict[str, dict[str, Any]] = {}
        top: list[dict[str, Any]] = []
        rows = self._rows("SELECT * FROM categories ORDER BY rowid")
        for row in rows:
            nodes[row["slug"]] = {"slug": row["slug"], "name": row["name"], "children": []}
        for row in rows:
            siblings = nodes[row["parent"]]["children"] if row["parent"] else top
            siblings.append(nodes[row["slug"]])
        return top

    def known_categories(self) -> set[str]:
        """Return the slugs of all categories."""
        return {row["slug"] for row in self._rows("SELECT slug FROM categories")}

    def add_categories(self, rows: Iterable[Row]) -> None:
        """Store categories; parents must precede their children."""
        with self._lock:
            for row in rows:
                self._insert("categories", row)

    def remove_category(self, slug: str) -> bool:
        """Remove a category and its descendants; return false if it does not exist."""
        return bool(self._rows("DELETE FROM categories WHERE slug = ? RETURNING slug", (slug,)))

    def add_customer(self, customer: Row) -> Row:
        """Store a customer without the passphrase."""
        row = {"born": None, "newsletter": False, **customer, "createdAt": _now()}
        row.pop("passphrase")
        return {"id": self._insert("customers", row), **row}

    def customers(self, keys: Iterable[int]) -> list[Row]:
        """Return the customers with these keys; skip unknown keys."""
        rows = self._rows(
            "SELECT * FROM customers WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (_text(list(keys)),),
        )
        return [{**row, "newsletter": bool(row["newsletter"])} for row in rows]

    def orders(self, filters: Mapping[str, Any], *, limit: int, offset: int) -> list[Row]:
        """Return a page of orders, newest first."""
        placed = filters.get("placed", {})
        rows = self._rows(
            "SELECT * FROM orders WHERE (:status IS NULL OR status IN (SELECT value FROM json_each(:status)))"
            " AND julianday(placedAt) BETWEEN coalesce(julianday(:from), 0) AND coalesce(julianday(:to), 9e9)"
            " ORDER BY rowid DESC LIMIT :limit OFFSET :offset",
            {
                "status": _text(filters["status"]) if "status" in filters else None,
                "from": placed.get("from"),
                "to": placed.get("to"),
                "limit": limit,
                "offset": offset,
            },
        )
        return [_order(row) for row in rows]

    def order(self, key: str) -> Row | None:
        """Return an order; ``None`` if it does not exist."""
        return next(map(_order, self._rows("SELECT * FROM orders WHERE id = ?", (key,))), None)

    def add_order(self, order: Row, *, idempotency_key: str | None) -> Row:
        """Store an order; return the earlier order for a repeated idempotency key."""
        with self._lock:
            known = self._rows("SELECT * FROM orders WHERE idempotencyKey = ?", (idempotency_key,))
            if known:
                return _order(known[0])
            row = {"id": str(uuid4()), "note": None, **order, "placedAt": _now()}
            written = {**row, "lines": _text(row["lines"]), "payment": _text(row["payment"])}
            self._insert("orders", {**written, "idempotencyKey": idempotency_key})
        return row

    def cancel_order(self, key: str) -> bool:
        """Cancel an order; return false if it is already cancelled."""
        return bool(
            self._rows(
                "UPDATE orders SET status = 'cancelled'"
                " WHERE id = ? AND status <> 'cancelled' RETURNING id",
                (key,),
            )
        )

    def add_message(self, message: Row) -> None:
        """Store a message."""
        row = {"urgent": False, **message, "topics": _text(message.get("topics", []))}
        self._insert("messages", row)


def _product_filter(filters: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Return the SQL condition for the filters of a product search, with its values."""
    price = filters.get("price", {})
    conditions = [
        ("instr(lower(name || ' ' || coalesce(description, '')), lower(?))", filters.get("q")),
        ("status = ?", filters.get("status")),
        ("price >= ?", price.get("min")),
        ("price <= ?", price.get("max")),
        *(("? IN (SELECT value FROM json_each(tags))", tag) for tag in filters.get("tag", ())),
    ]
    held = [(condition, value) for condition, value in conditions if value is not None]
    where = " AND ".join(condition for condition, _ in held)
    return where or "TRUE", [value for _, value in held]


def _product(row: Row) -> Row:
    return {**row, "tags": loads(row["tags"])}


def _order(row: Row) -> Row:
    written = {name: value for name, value in row.items() if name != "idempotencyKey"}
    return {**written, "lines": loads(row["lines"]), "payment": loads(row["payment"])}


def _text(value: Any) -> str:
    return str(dumps(value), "utf-8")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
