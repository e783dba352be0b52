// Who looks at the page, and what he may do.

export const me = {name: '', role: 'operator'};

export async function learn() {}

/** Stop, input, run again. */
export const mayChange = () => me.role !== 'observer';
/** Answer approvals. */
export const mayDecide = () => me.role === 'operator';
/** Read the journal. */
export const mayAudit = () => me.role !== 'agent';
