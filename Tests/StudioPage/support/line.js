// SPDX-License-Identifier: Apache-2.0

// Runs before the scripts of the page. Lets a test hold messages of the page's socket back: those with the text `line.holdsSent` on their way to
// the server, those with `line.holdsReceived` on their way to the page. Counts the sockets. Reports what the policy of the page forbids.
{
  const line = {
    holdsSent: null, holdsReceived: null, held: [], socket: null, begun: 0, ended: 0,
    cut: () => line.socket.close(4000),
    release: () => {
      line.holdsSent = line.holdsReceived = null;
      for (const pass of line.held.splice(0)) pass();
    },
  };
  window.line = line;
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      line.socket = this;
      const number = line.begun += 1;
      this.addEventListener('close', () => { line.ended = Math.max(line.ended, number); });
      this.addEventListener('message', (event) => {
        if (!event.isTrusted || !line.holdsReceived || !event.data.includes(line.holdsReceived)) return;
        event.stopImmediatePropagation();
        line.held.push(() => this.dispatchEvent(new MessageEvent('message', { data: event.data })));
      });
    }

    send(text) {
      if (line.holdsSent && text.includes(line.holdsSent)) line.held.push(() => super.send(text));
      else super.send(text);
    }
  };
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    console.error(`Content Security Policy: ${violatedDirective} forbids ${blockedURI}`);
  });
}
