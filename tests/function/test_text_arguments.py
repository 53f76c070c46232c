import pytest
from tests.calling.shop import APP

import specfn


@pytest.mark.parametrize("sent", ["{}", '{"body": {}}', "", "a sentence"])
def test_a_text_for_a_request_has_a_hint(sent: str) -> None:
    """A text in the place of arguments is refused, and the error names the method that parses texts."""
    connection = specfn.Connection(base_url="http://127.0.0.1:9")
    with pytest.raises(specfn.ArgumentError, match=r"call check\(text\) and pass its data"):
        specfn.request(APP.functions[0], sent, connection, validate=False)
    with pytest.raises(specfn.ArgumentError, match=r"call check\(text\) and pass its data"):
        specfn.execute(APP.functions[0], sent, connection)
