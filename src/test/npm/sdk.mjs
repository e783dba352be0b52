// The first generation of the official client.
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {ElicitRequestSchema} from '@modelcontextprotocol/sdk/types.js';
import {play} from './play.mjs';

await play({
    Client,
    StdioClientTransport,
    StreamableHTTPClientTransport,
    call: (client, tool, options) => client.callTool(tool, undefined, options),
    onAsked: (client, answer) => client.setRequestHandler(ElicitRequestSchema, answer),
});
