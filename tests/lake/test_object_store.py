"""A lake whose files lie in an S3-compatible object store: a server of the tests' own, on the loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.removal import remove, run_ids
from ingest.store.errors import StoreUnusable
from ingest.store.lake import LakeStore
from tests.ingest.loaded import line
from tests.lake.cluster import Cluster

pytestmark = pytest.mark.soak
BUCKET = "traces"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an object store with one bucket, which the AWS_* environment names."""
    server = pytest.importorskip("moto.server", reason="needs the group object-store: make install-lake")
    boto3 = pytest.importorskip("boto3")
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    running.start()
    host, port = running.get_host_and_port()
    address = f"http://{host}:{port}"
    for name, value in {
        "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "planted-secret-key", "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": address,
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    boto3.client("s3", endpoint_url=address, region_name="us-east-1").create_bucket(Bucket=BUCKET)
    yield address
    running.stop()


def keys(endpoint: str) -> list[str]:
    import boto3  # type: ignore[import-not-found, unused-ignore]

    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
    return [entry["Key"] for entry in client.list_objects_v2(Bucket=BUCKET).get("Contents", [])]


def test_ingest_read_forget_and_clean_up(endpoint: str, cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(
        b"".join(line("error_event", f"r-{n % 10}", error_code="E", n=n) for n in range(500))
    )
    with LakeStore(cluster.lake("objects", f"s3://{BUCKET}/lake")) as lake:
        assert ingest([str(tmp_path / "a.jsonl")], lake).totals.stored == 500
        assert any(key.startswith("lake/main/error_events/") for key in keys(endpoint))
        with lake.lease() as lease:
            assert lease.rows("SELECT count(*) AS n FROM error_events") == [{"n": 500}]
        before = set(keys(endpoint))
        remove(lake, run_ids(lake, ["r-1"]), "forget")
        assert before - set(keys(endpoint)), "no old file was removed"
        with lake.lease() as lease:
            assert lease.rows("SELECT count(*) AS n FROM error_events") == [{"n": 450}]
    cluster.drop("objects")


def test_a_bucket_that_does_not_exist_is_one_line(endpoint: str, cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(line("run", "r"))
    with (
        LakeStore(cluster.lake("no_bucket", "s3://nowhere/lake")) as lake,
        pytest.raises(StoreUnusable, match="AWS_ENDPOINT_URL") as refused,
    ):
        ingest([str(tmp_path / "a.jsonl")], lake)
    assert refused.value.exit_code == 3
    assert "planted-secret-key" not in str(refused.value)
    cluster.drop("no_bucket")
