// The second generation of the official client.
import {Client, StreamableHTTPClientTransport} from '@modelcontextprotocol/client';
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio';
import {play} from './play.mjs';

await play({
    Client,
    StdioClientTransport,
    StreamableHTTPClientTransport,
    call: (client, tool, options) => client.callTool(tool, options),
    onAsked: (client, answer) => client.setRequestHandler('elicitation/create', answer),
});
