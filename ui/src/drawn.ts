/** Calls back when what the page holds now is on the screen; a page that cannot be seen is not drawn, and waits. */
export function whenDrawn(then: () => void): void {
  // The second frame comes when the first one is out.
  requestAnimationFrame(() => requestAnimationFrame(then));
}
