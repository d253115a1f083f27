// What htmx leaves to a page: where the focus goes when one page takes another's place, and that a request failed.
// Without JavaScript a browser does all of this by itself.
"use strict";

function showWhere() {
  const [menu, here] = [document.querySelector(".menu"), document.querySelector(".menu [aria-current]")];
  if (menu && here) {
    menu.scrollLeft = here.offsetLeft - (menu.clientWidth - here.offsetWidth) / 2;
  }
}

function arrive(anchor) {
  showWhere();
  const at = anchor && document.getElementById(anchor);
  if (!at) {
    (document.querySelector("[autofocus]") ?? document.getElementById("main"))?.focus({ preventScroll: true });
    return;
  }
  // Only a navigation makes it the page's target; htmx finds its way back by this state.
  location.replace(`#${anchor}`);
  history.replaceState({ htmx: true }, "");
  at.focus({ preventScroll: true });
}

function tell(words) {
  const said = document.createElement("div");
  said.className = "said failed";
  said.setAttribute("role", "alert");
  said.textContent = words;
  document.querySelector(".said.failed")?.remove();
  document.getElementById("main")?.prepend(said);
  said.scrollIntoView({ block: "nearest" });
}

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.target === document.body) {
    arrive(ctx.request.anchor);
  }
});
document.addEventListener("htmx:error", ({ detail: { ctx } }) => {
  if (ctx && !ctx.response) {
    tell("Cairn did not answer. Load the page again to see whether anything was done.");
  }
});
showWhere();
