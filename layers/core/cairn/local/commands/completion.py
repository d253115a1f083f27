"""`cairn completion`: print what makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script by which a shell completes cairn's commands and options.

    Put this into the shell's start-up file: eval "$(cairn completion bash)", the same with zsh, and for fish: cairn
    completion fish | source
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.BadParameter(f"no completion is known for {shell}")
    click.echo(kind(context.find_root().command, {}, "cairn", "_CAIRN_COMPLETE").source())
