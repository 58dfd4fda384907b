import pytest

from steelyard.core.errors import RecordError
from steelyard.extensions.bisect.request import BisectRequest
from steelyard.extensions.gate.request import GateRequest

pytestmark = pytest.mark.extensions("bisect", "gate")


@pytest.mark.parametrize(
    "request_of",
    [
        lambda: BisectRequest(good="a", bad="b", words=("./prog",)),
        lambda: GateRequest(base="a", head="b", words=("./prog",)),
    ],
)
def test_a_request_is_kept_with_its_seed_and_a_damaged_one_is_an_error(request_of, tmp_path):
    request = request_of()
    first = request.keep_in(tmp_path)
    assert first.seed is not None
    assert request.keep_in(tmp_path) == first
    (tmp_path / request.file_name).write_bytes(b"{\xff")
    with pytest.raises(RecordError, match=request.file_name) as caught:
        request.keep_in(tmp_path)
    assert caught.value.hint == "name a directory that does not exist yet: -o NAME"
