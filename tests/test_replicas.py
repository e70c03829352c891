"""What is shipped to run several pincite at once. Nothing is started here: there may be no Docker."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from pincite.config.sections import SECTIONS

DEPLOY = Path(__file__).resolve().parent.parent / "deploy"


class Loader(yaml.SafeLoader):
    """Knows what Compose adds to YAML."""


Loader.add_constructor("!reset", lambda loader, node: f"reset {node.tag}")

BASE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yml").read_text("utf-8"))
OVER: dict[str, Any] = yaml.load((DEPLOY / "compose.replicas.yml").read_text("utf-8"), Loader)
REPLICAS = ("pincite", "pincite-2")
CADDY = (DEPLOY / "Caddyfile").read_text("utf-8")


@pytest.mark.parametrize("name", sorted(OVER["services"]))
def test_a_service_runs_a_named_version_and_is_open_to_this_machine_alone(name: str) -> None:
    service = OVER["services"][name]
    if name not in REPLICAS:
        assert re.search(r":v?\d+(\.\d+)*[\w.-]*$", service["image"])
    ports = service.get("ports", [])
    assert isinstance(ports, str) or all(port.startswith("127.0.0.1:") for port in ports)


def test_the_replicas_say_the_same_and_set_settings_that_there_are() -> None:
    first = BASE["services"]["pincite"]["environment"] | OVER["services"]["pincite"]["environment"]
    assert first == OVER["services"]["pincite-2"]["environment"]
    for variable in first:
        section, _, key = variable.removeprefix("PINCITE_").lower().partition("__")
        if variable.startswith("PINCITE_") and (section, key) != ("server", "api_keys"):
            assert key in SECTIONS[section].model_fields, variable
    assert re.fullmatch(
        SECTIONS["store"].model_fields["url"].metadata[0].pattern, first["PINCITE_STORE__URL"]
    )


def test_no_secret_stands_in_the_file() -> None:
    text = (DEPLOY / "compose.replicas.yml").read_text("utf-8")
    for name in ("POSTGRES_PASSWORD", "PGPASSWORD", "PINCITE_DB_PASSWORD"):
        assert all(value.startswith("${") for value in re.findall(rf"^\s+{name}: *(\S+)", text, re.MULTILINE))


def test_what_is_mounted_and_waited_for_is_there() -> None:
    for config in OVER["configs"].values():
        assert (DEPLOY / config["file"]).is_file()
    for service in OVER["services"].values():
        for volume in service.get("volumes", []) if isinstance(service.get("volumes"), list) else []:
            source = volume.partition(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in OVER["volumes"]
        assert set(service.get("depends_on", {})) <= set(OVER["services"])


def test_the_balancer_asks_both_whether_they_are_ready_and_holds_no_stream_back() -> None:
    (line,) = re.findall(r"reverse_proxy (.*) \{", CADDY)
    assert line.split() == [f"{name}:8000" for name in REPLICAS]
    for directive in ("health_uri /readyz", "flush_interval -1", "lb_policy ip_hash"):
        assert directive in CADDY
    assert CADDY.count("{") == CADDY.count("}")
    assert "/readyz" in str(OVER["services"]["pincite"]["healthcheck"])


def test_prometheus_reads_both() -> None:
    one, both = (
        yaml.safe_load((DEPLOY / name).read_text("utf-8"))
        for name in ("prometheus.yml", "prometheus.replicas.yml")
    )
    (job,) = both["scrape_configs"]
    assert job.pop("static_configs") == [{"targets": [f"{name}:8000" for name in REPLICAS]}]
    one["scrape_configs"][0].pop("static_configs")
    assert one == both


def test_the_database_gets_a_role_that_is_no_administrator() -> None:
    script = (DEPLOY / "postgres-init.sh").read_text("utf-8")
    assert "CREATE ROLE pincite LOGIN PASSWORD :'password'" in script
    assert "SUPERUSER" not in script
    assert "CREATE EXTENSION vector" in script
    if (shell := shutil.which("sh")) is not None:
        subprocess.run([shell, "-n", str(DEPLOY / "postgres-init.sh")], check=True)
