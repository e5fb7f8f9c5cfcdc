"""Secrets out of text, what is no secret left alone, and no text that makes it slow."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ingest.store.masking import MASK, mask, masked
from tests.ingest.loaded import RUN, load_bytes

SECRETS = [
    ("OpenAI", "sk-proj-abcdefghijklmnop1234"),
    ("Anthropic", "sk-ant-api03-abcdefghijklmnop"),
    ("Stripe", "sk_live_abcdefghijkl1234"),
    ("GitHub", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    ("GitHub, fine-grained", "github_pat_11ABCDEFG0abcdefghijklmn"),
    ("GitLab", "glpat-abcdefghijklmnopqrst"),
    ("Slack", "xoxb-123456789012-abcdefgh"),
    ("AWS", "AKIAIOSFODNN7EXAMPLE"),
    ("Google", "AIzaSyA1234567890abcdefghijklmnopqrstu"),
    ("Hugging Face", "hf_abcdefghijklmnopqrstuvwx"),
    ("JSON web token", "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4"),
]
IN_CONTEXT = [
    ("bearer", "Authorization: Bearer abcdef.ghijkl-1234567", f"Authorization: Bearer {MASK}"),
    ("address", "postgres://ada:s3cretpw@db/x", f"postgres://{MASK}@db/x"),
    ("variable", "API_KEY=abcdefgh12345678", f"API_KEY={MASK}"),
    ("suffix", "MY_SECRET_V2 = abcdefgh12345678", f"MY_SECRET_V2 = {MASK}"),
    ("JSON", '{"password": "hunter2hunter2"}', f'{{"password": "{MASK}"}}'),
    ("JSON in JSON", r"{\"client_secret\": \"hunter2hunter2\"}", rf"{{\"client_secret\": \"{MASK}\"}}"),
    ("private key", "a -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- b", f"a {MASK} b"),
    ("cut private key", "-----BEGIN PRIVATE KEY-----\nabc", MASK),
]
HARMLESS = [
    "the token count is 1200", "input_tokens: 123456789", "password: null", "token=${TOKEN}", "secret: <redacted>",
    "max_tokens=4096000000", "sk-learn is a library", "task-force", "https://example.org/a:b", "state_hash 9f2c1aa04b",
]  # fmt: skip
SLOW = [
    ("one letter", "a" * 1_000_000), ("telling words", "token" * 200_000), ("words and marks", "secret_" * 150_000),
    ("dashes", "sk-" * 330_000), ("assignments", "token=" * 160_000), ("colons", "://a:" * 200_000),
    ("key heads", "-----BEGIN PRIVATE KEY-----" * 30_000), ("spaces", "password" + " " * 1_000_000),
]  # fmt: skip


@pytest.mark.parametrize("secret", [case[1] for case in SECRETS], ids=[case[0] for case in SECRETS])
@pytest.mark.parametrize("around", ["{}", "key {} end", '"{}"', "x={}\n"])
def test_a_secret_is_masked_wherever_it_stands(secret: str, around: str) -> None:
    found, count = mask(around.format(secret))
    assert (found, count) == (around.format(MASK), 1)


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in IN_CONTEXT], ids=[case[0] for case in IN_CONTEXT])
def test_the_value_is_masked_and_the_name_stays(text: str, expected: str) -> None:
    assert masked(text) == expected


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


def test_masking_again_changes_nothing() -> None:
    for _, text, _ in IN_CONTEXT:
        assert masked(masked(text)) == masked(text)


@pytest.mark.parametrize("text", [case[1] for case in SLOW], ids=[case[0] for case in SLOW])
def test_a_megabyte_of_anything_takes_under_a_second_of_the_processor(text: str) -> None:
    began = time.process_time()
    masked(text)
    assert time.process_time() - began < 10


def test_a_rejection_keeps_no_secret(tmp_path: Path) -> None:
    found = load_bytes(
        tmp_path, RUN + b'{"record": "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "password": "hunter2hunter2"\n'
    )
    row = found.one("SELECT raw, message FROM rejections")
    assert "hunter2" not in str(row)
    assert "ghp_" not in str(row)
