// Plays what its arguments name, `http` or `stdio`, and writes what came back: a line of JSON for each step.
import {createInterface} from 'node:readline/promises';

const [how, url, token, script] = process.argv.slice(2);
const lines = createInterface({input: process.stdin})[Symbol.asyncIterator]();

function tell(step, result) {
    console.log(JSON.stringify({step, result}));
}

/** Why it failed; null where it did not. */
async function failure(promise) {
    try {
        await promise;
        return null;
    } catch (refused) {
        return String(refused.message);
    }
}

export async function play({Client, StdioClientTransport, StreamableHTTPClientTransport, call, onAsked}) {
    async function connected() {
        const client = new Client({name: 'npm', version: '1'}, {capabilities: {elicitation: {}}});
        onAsked(client, request => {
            tell('asked', request.params.message);
            return {action: 'accept', content: {decision: 'allow once'}};
        });
        await client.connect(how === 'stdio'
            ? new StdioClientTransport({command: script, args: ['mcp'], env: {...process.env, HOLDFAST_URL: url, HOLDFAST_TOKEN: token}})
            : new StreamableHTTPClientTransport(new URL(url + '/mcp'), {requestInit: {headers: {Authorization: `Bearer ${token}`}}}));
        return client;
    }

    let client = await connected();
    const exec = (args, options) => call(client, {name: 'ExecCommand', arguments: {login: false, ...args}}, options);
    tell('tools', (await client.listTools()).tools.map(tool => tool.name));
    tell('answered', await exec({cmd: `echo hi # ${process.pid}`}));
    tell('refused', await exec({cmd: 'true', worked: 1}));

    // It ends when progress was told: a busy server may do that later than others.
    let progress = 0;
    await exec({cmd: `until test -e told-${process.pid}; do sleep 0.2; done`, yield_time_ms: 50000}, {
        onprogress: () => progress++ || exec({cmd: `: > told-${process.pid}`}),
    });
    tell('progress', progress);

    tell('started', await exec({cmd: `exec sleep 600 # ${process.pid}`, yield_time_ms: 0}));
    const [, task] = (await lines.next()).value.split(' ');
    const cancel = new AbortController();
    const waits = call(client, {name: 'TaskOutput', arguments: {task_id: task, timeout_ms: 60000}}, {signal: cancel.signal});
    setTimeout(() => cancel.abort(), 200);
    tell('cancelled', await failure(waits));
    tell('lives', await call(client, {name: 'TaskStatus', arguments: {task_id: task}}));

    tell('allowed', await exec({cmd: `touch asked-for-${process.pid}`, yield_time_ms: 20000}));

    tell('restart', null);
    await lines.next();
    tell('gone', await failure(exec({cmd: `echo again # ${process.pid}`})));
    if (how === 'http') {
        client = await connected();
    }
    tell('again', await exec({cmd: `echo again # ${process.pid}`}));
    await client.close();
    process.exit(0);
}
