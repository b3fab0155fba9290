// SPDX-License-Identifier: Apache-2.0

// Runs in the window of Firefox around a page: its accessibility tree, as the service has it that screen readers ask, written as Playwright
// writes trees: `- role "name" [state]: text`. It is empty until the service has the page.

() => {
  const service = Cc['@mozilla.org/accessibilityService;1'].getService(Ci.nsIAccessibilityService);
  const written = { checked: 'checked', pressed: 'pressed', expanded: 'expanded', selected: 'selected', unavailable: 'disabled', focused: 'active' };

  const statesOf = (node) => {
    const [first, second] = [{}, {}];
    node.getState(first, second);
    const list = service.getStringStates(first.value, second.value);
    return Array.from({ length: list.length }, (_, index) => written[list.item(index)]).filter(Boolean);
  };
  const childrenOf = (node) => Array.from({ length: node.childCount }, (_, index) => node.getChildAt(index));

  /** The lines of a node; those of its children are further in. What only groups others has none. */
  const linesOf = (node) => {
    if (node.role === Ci.nsIAccessibleRole.ROLE_TEXT_LEAF) return [{ text: node.name.trim() }].filter(({ text }) => text);
    const inner = childrenOf(node).flatMap(linesOf);
    const role = node.computedARIARole;
    if (!role || role === 'generic') return inner;
    const head = [role, node.name && JSON.stringify(node.name), ...statesOf(node).map((state) => `[${state}]`)].filter(Boolean).join(' ');
    // A name that is made of the text inside says it already.
    const said = inner.filter(({ text }) => text === undefined || text !== node.name);
    return [{ head, inner: said }];
  };
  const write = (lines, indent) => lines.flatMap(({ head, text, inner }) => {
    if (text !== undefined) return [`${indent}- text: ${text}`];
    if (inner.length === 1 && inner[0].text !== undefined) return [`${indent}- ${head}: ${inner[0].text}`];
    return [`${indent}- ${head}${inner.length ? ':' : ''}`, ...write(inner, `${indent}  `)];
  });

  const frame = service.getAccessibleFor(gBrowser.selectedBrowser);
  const page = frame?.firstChild;
  return page ? write(childrenOf(page).flatMap(linesOf), '').join('\n') : '';
}
