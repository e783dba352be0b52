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

/** So many lines are not folded. */
const FEW_LINES = 5;

/** What another stream printed, set apart: which line came first of two streams is not on record. */
export function apartBlock(stream, main, lines, from, to) {
    const block = lineBlock(stream, lines, from, to);
    const apart = element('details', 'apart');
    apart.open = lines.length <= FEW_LINES;
    const heading = document.createElement('summary');
    const count = from > 0 ? `${lines.length} of its lines` : `${lines.length} line${lines.length > 1 ? 's' : ''}`;
    heading.textContent = `On ${stream.name}: ${count} (order against ${main.name} not known)`;
    apart.append(heading, block.element);
    if (from > 0) {
        const alone = element('button', 'alone');
        alone.textContent = `All of ${stream.name}`;
        alone.dataset.stream = stream.name;
        apart.append(alone);
    }
    return {...block, element: apart, paper: block.element, apart: true};
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
