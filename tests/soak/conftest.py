"""The two environments; each is made once a session and removed with it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.soak.environment import Environment, environment

# The versions that wrote the stored samples.
SDKS = (
    "opentelemetry-sdk==1.45.2",
    "opentelemetry-exporter-otlp-proto-common==1.45.2",
    "opentelemetry-exporter-otlp-json-file==0.66b1",
    "mlflow-skinny==3.17.2",
    "openai-agents==0.24.0",
    "langsmith==0.15.1",
)
BIJUX = ("bijux-canon-runtime==0.3.9", "bijux-canon-agent==0.3.9")


def made(factory: pytest.TempPathFactory, name: str, pins: tuple[str, ...]) -> Iterator[Environment]:
    folder = factory.mktemp(name) / "environment"
    try:
        yield environment(folder, *pins)
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # pytest would keep hundreds of megabytes of the last sessions


@pytest.fixture(scope="session")
def sdks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    yield from made(tmp_path_factory, "sdks", SDKS)


@pytest.fixture(scope="session")
def bijux(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    yield from made(tmp_path_factory, "bijux", BIJUX)
