"""The prelude of scripts: what hands values over to the server, run inside the sandbox (threat T43).

The server converts no value of a script. Python would compute the hash of a tuple that shares its parts level by level,
compare keys with equal hashes one by one, and expand what the sandbox shares: forty levels take forever. So the sandbox
writes each value as a JSON text, counts it as written, and hands over nothing but such texts.

A script cannot change this: the sandbox does not show the variables of a function, and whatever the prelude needs is one.
"""

from typing import Final

#: The maximum number of values of all arguments and of the result of one script, and the maximum number of levels of each.
MAX_VALUES: Final = 100_000
MAX_LEVELS: Final = 100

#: The maximum number of bytes of all arguments and of the result of one script, as JSON.
MAX_BYTES: Final = 8 * 1024 * 1024

#: The maximum number of digits of an integer: Python reads no more.
MAX_DIGITS: Final = 4_300

#: The function that takes the texts. No code can write this name, so no code can call it by name.
HAND_OVER: Final = "hand over"

#: The function that takes the value of the last expression of a script.
RESULT: Final = "_result"

#: The argument of a call that returns its items and the arguments of its next page. No function has such a name. Its value
#: says whether the page before announced this one.
PAGE: Final = "as a page"

#: The maximum number of characters of the text of a value that JSON does not have.
_MAX_TEXT: Final = 1_000


def prelude() -> str:
    """Return the code that runs in the sandbox before a script.

    Its inputs are ``api`` (the namespaces), ``_places`` (the path and the name of each function) and ``_hand_over``.
    """
    limits = f"{MAX_VALUES}, {MAX_LEVELS}, {MAX_BYTES}, {MAX_DIGITS}, {_MAX_TEXT}"
    return (
        f"{_INSTALL}\n{RESULT}, pages = _install(api, _places, _hand_over, {PAGE!r}, {limits})\n"
        "_install = _places = _hand_over = None\n"
    )


#: The built-in functions are default values, because a script may give their names another meaning.
_INSTALL: Final = """
def _install(
    api, places, hand_over, as_page, max_values, max_levels, max_bytes, max_digits, max_text,
    getattr=getattr, isinstance=isinstance, len=len, setattr=setattr, type=type,
    bool=bool, bytes=bytes, dict=dict, float=float, frozenset=frozenset, int=int, list=list, set=set, str=str, tuple=tuple,
    TypeError=TypeError, ValueError=ValueError,
):
    import base64, collections, datetime, json

    lists = (list, tuple, set, frozenset, collections.deque)
    moments = (datetime.date, datetime.time)
    max_integer = 10**max_digits
    limits = (max_values, max_bytes)
    spent = [0, 0]  # values and bytes

    def check(count):
        for unit in (0, 1):
            if spent[unit] + count[unit] > limits[unit]:
                raise ValueError(
                    f"a script passes at most {limits[unit]:,} {('values', 'bytes')[unit]} to its calls and its result, "
                    "counted as JSON, where a shared value counts each time; pass or return less"
                )

    def plain(value, level, is_argument, count):
        count[0] += 1
        if count[0] > max_values:
            check(count)
        if value is None or isinstance(value, (bool, float)):
            return value
        if isinstance(value, (str, bytes)):
            add_bytes(value, count)
            if isinstance(value, str):
                return value
            return "data:application/octet-stream;base64," + base64.b64encode(value).decode()
        if isinstance(value, int):
            if value >= max_integer or value <= -max_integer:
                raise ValueError(f"a number has more than {max_digits:,} digits; expected fewer")
            return value
        if isinstance(value, moments):
            return value.isoformat()
        if not isinstance(value, lists) and not isinstance(value, dict):
            return other(value, is_argument)
        if level == max_levels:
            what = "an argument" if is_argument else "the result"
            raise TypeError(f"{what} has more than {max_levels} levels; expected fewer")
        if isinstance(value, dict):
            return {key(each, count): plain(value[each], level + 1, is_argument, count) for each in value}
        return [plain(each, level + 1, is_argument, count) for each in value]

    def key(value, count):
        text = value if isinstance(value, str) else f"{value}"
        add_bytes(text, count)
        return text

    def add_bytes(value, count):
        count[1] += len(value)
        if count[1] > max_bytes:
            check(count)

    def other(value, is_argument):
        name = type(value).__name__
        if not is_argument:
            return f"{value}"[:max_text]
        if name == "coroutine":
            raise TypeError("an argument is a call that was not awaited; write await before it")
        raise TypeError(
            f"an argument contains a value of type {name[:80]}; expected JSON values: texts, numbers, lists, dicts, "
            "True, False and None"
        )

    def encode(args, kwargs, is_argument):
        count = [0, 0]
        text = json.dumps(plain([args, kwargs], -2, is_argument, count))
        count[1] = len(text)
        check(count)
        spent[0] += count[0]
        spent[1] += count[1]
        return text

    def function(name):
        def call(*args, **kwargs):
            return hand_over(name, encode(args, kwargs, True))

        return call

    def result(value):
        hand_over("", encode([value], {}, False))

    async def pages(function, *args, **kwargs):
        if type(function).__name__ != "function":
            raise TypeError("pages needs a function, not a call of it, and then the arguments: pages(api.x.get, query={})")
        items, before, repeated, kind = [], [], 0, "announced"
        while True:
            page = await function(*args, **{**kwargs, as_page: kind})
            repeated = repeated + 1 if page["items"] and page["items"] == before else 0
            if not repeated:
                items += page["items"]
            if page["next"] is None or repeated > 1:
                return items
            before = page["items"]
            kind = "announced" if page["is_announced"] else "unannounced"
            args, kwargs = (page["next"], {}) if isinstance(page["next"], list) else ((), page["next"])

    for *path, last, name in places:
        space = api
        for element in path:
            space = getattr(space, element)
        setattr(space, last, function(name))
    return result, pages
"""
