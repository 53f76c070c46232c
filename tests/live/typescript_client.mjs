// A client of the official TypeScript SDK, version 1 or 2, that does what the JSON of its first argument describes.
// It prints one JSON object: the tools, the results of calls, how often the user was asked, and whether there was a session.

import { createRequire } from 'node:module';

const task = JSON.parse(process.argv[2]);
const require = createRequire(`${task.folder}/`);
const isFirst = task.sdk === 1;
const sdk = isFirst
    ? {
          ...require('@modelcontextprotocol/sdk/client/index.js'),
          ...require('@modelcontextprotocol/sdk/client/streamableHttp.js'),
          ...require('@modelcontextprotocol/sdk/client/stdio.js'),
          ...require('@modelcontextprotocol/sdk/types.js')
      }
    : { ...require('@modelcontextprotocol/client'), ...require('@modelcontextprotocol/client/stdio') };

const transport = task.url
    ? new sdk.StreamableHTTPClientTransport(new URL(task.url), {
          requestInit: { headers: { Authorization: `Bearer ${task.token}` } }
      })
    : new sdk.StdioClientTransport(task.server);
const client = new sdk.Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: task.mode } }
);

let action = 'accept';
const asked = [];
client.setRequestHandler(isFirst ? sdk.ElicitRequestSchema : 'elicitation/create', async request => {
    asked.push(request.params.message);
    return action === 'accept' ? { action, content: {} } : { action };
});

const call = (name, given, options) =>
    isFirst
        ? client.callTool({ name, arguments: given }, undefined, options)
        : client.callTool({ name, arguments: given }, options);
const text = result => ({ failed: Boolean(result.isError), text: result.content[0].text });

await client.connect(transport);
const output = { session: Boolean(transport.sessionId) };
output.tools = (await client.listTools()).tools.map(tool => tool.name);
output.read = text(await call('pets_get', {}));
output.accepted = text(await call('pets_post', { body: { name: 'Accepted' } }));
action = 'decline';
output.declined = text(await call('pets_post', { body: { name: 'Declined' } }));
output.asked = asked;

// a call that its user cancels while the API works on it
const controller = new AbortController();
const waiting = call('pets_getById', { id: 1 }, { signal: controller.signal }).then(
    () => 'answered',
    () => 'cancelled'
);
while ((await (await fetch(`${task.api}/begun`)).json()) !== true) await new Promise(resolve => setTimeout(resolve, 20));
controller.abort('the user left');
output.cancelled = await waiting;
output.afterwards = text(await call('pets_get', {}));
if (output.session) await transport.terminateSession();
await client.close();
console.log(JSON.stringify(output));
