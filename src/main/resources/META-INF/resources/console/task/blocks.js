// The pieces that a log is made of: {element, stream, content, lines, from, to}.
import {size as sizeText} from '../words.js';

/** Complete lines of a stream, to be painted. */
export function lineBlock(stream, lines, from, to) {
    const block = element('div', `block ${stream.name}`);
    if (stream.name === 'stderr') {
        block.setAttribute('role', 'group');
        block.setAttribute('aria-label', 'stderr');
    }
    return {element: block, stream, content: lines, lines: lines.length, from, to};
}

export function gapBlock(stream, {from, to}) {
    const block = element('p', 'gap');
    block.textContent = `${sizeText(to - from)} of ${stream.name} are not kept: more was printed than is stored`;
    return {element: block, stream, content: [], lines: 0, from, to};
}

/** Puts the first line of a block into an element of its own, and answers that. */
export function markFirstLine(block) {
    const mark = element('mark', 'hit');
    const range = document.createRange();
    range.selectNodeContents(block);
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const newline = texts.currentNode.data.indexOf('\n');
        if (newline >= 0) {
            range.setEnd(texts.currentNode, newline);
            break;
        }
    }
    mark.append(range.extractContents());
    block.prepend(mark);
    return mark;
}

export function element(name, classes) {
    const made = document.createElement(name);
    made.className = classes;
    return made;
}
