export function open(root) { root.textContent = 'soon'; }
