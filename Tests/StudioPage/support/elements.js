// SPDX-License-Identifier: Apache-2.0

// Runs in the page: finds elements as people name them, and waits until one is ready for what is asked. One function, whose text is sent.
//
// `steps` narrow down from the document: by CSS, by role and name, by label, by text, by number. The names of roles and texts fit if they
// contain what is asked, whatever the case. An action needs one element that fits, as in Playwright.

async (steps, action, value, limit) => {
  const normal = (text) => text.replace(/\s+/g, ' ').trim();
  const fits = (text, { wanted, pattern, isExact }) => {
    if (pattern !== undefined) return new RegExp(pattern).test(normal(text));
    return isExact ? normal(text) === wanted : normal(text).toLowerCase().includes(normal(wanted).toLowerCase());
  };

  const implied = {
    button: 'button, [type=button], [type=submit]', combobox: 'select', complementary: 'aside', dialog: 'dialog', heading: 'h1, h2, h3', list: 'ul, ol',
    listitem: 'li', navigation: 'nav', radio: '[type=radio]', searchbox: '[type=search]', slider: '[type=range]', textbox: 'textarea, input:is(:not([type]), [type=text], [type=url])',
  };
  const ofRole = (role) => `[role="${role}"]` + (implied[role] ? `, :is(${implied[role]}):not([role])` : '');
  const labelOf = (element) => element.getAttribute('aria-label')
    ?? (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim();
  const labelsOf = (element) => [labelOf(element), ...[...element.labels ?? []].map((label) => label.textContent)].filter(Boolean);
  const nameOf = (element) => [...labelsOf(element), element.textContent, element.title].find((name) => name.trim()) ?? '';

  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const isVisible = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return isShown(element) && width > 0 && height > 0;
  };

  /** What one step finds in an element, or in the document. */
  const within = (root, { css, role, name, level, label, text }) => {
    if (css) return [...root.querySelectorAll(css)];
    if (role) {
      return [...root.querySelectorAll(ofRole(role))].filter(
        (each) => isShown(each) && (!name || fits(nameOf(each), name)) && (!level || each.localName === `h${level}`));
    }
    if (label) return [...root.querySelectorAll('input, select, textarea, [aria-label]')].filter((each) => labelsOf(each).some((one) => fits(one, label)));
    const all = [...root === document ? [] : [root], ...root.querySelectorAll('*')].filter((each) => !each.matches('script, style, head *') && fits(each.textContent, text));
    // The innermost ones only.
    return all.filter((each) => !all.some((other) => other !== each && each.contains(other)));
  };
  const find = () => steps.reduce((found, step) => {
    if (step.nth !== undefined) return [found.at(step.nth)].filter(Boolean);
    if (step.hasText) return found.filter((each) => fits(each.textContent, { wanted: step.hasText }));
    return [...new Set(found.flatMap((root) => within(root, step)))];
  }, [document]);

  const boxOf = (element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x, y, width, height };
  };
  const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); setTimeout(resolve, 100); });

  /** Where a pointer hits the element, once it rests there. */
  const target = async (element) => {
    if (!isVisible(element) || element.disabled) return undefined;
    const before = boxOf(element);
    await frame();
    element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const box = boxOf(element);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const hit = document.elementFromPoint(x, y);
    return box.x === before.x && box.y === before.y && hit && (element.contains(hit) || hit.contains(element)) ? { x, y } : undefined;
  };
  const actions = {
    // In an object, since an element may have no such attribute.
    attribute: (element) => ({ value: element.getAttribute(value) }),
    box: boxOf,
    element: (element) => element,
    target,
    text: (element) => element.innerText,
    value: (element) => element.value,
    checked: (element) => element.checked,
    focus: (element) => { element.focus(); return true; },
    fill: (element) => {
      if (!isVisible(element) || element.disabled || element.readOnly) return undefined;
      element.focus();
      element.select();
      document.execCommand(value ? 'insertText' : 'delete', false, value);
      return true;
    },
    select: (element) => {
      if (!isVisible(element) || element.disabled) return undefined;
      element.value = value;
      for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
      return true;
    },
  };
  const states = {
    attached: (found) => found.length > 0,
    detached: (found) => found.length === 0,
    hidden: (found) => !found.some(isVisible),
    visible: (found) => found.some(isVisible),
  };

  if (action === 'count') return find().length;
  if (action === 'texts') return find().map((each) => each.innerText);
  if (action === 'isVisible') return find().some(isVisible);
  for (const end = performance.now() + limit; performance.now() < end; await frame()) {
    const found = find();
    if (states[action]) {
      if (states[action](found)) return true;
      continue;
    }
    if (found.length > 1) throw new Error(`${found.length} elements fit ${JSON.stringify(steps)}`);
    const result = found.length ? await actions[action](found[0]) : undefined;
    if (result !== undefined) return result;
  }
  throw new Error(`waited in vain for ${action} of ${JSON.stringify(steps)}: ${find().length} fit`);
}
