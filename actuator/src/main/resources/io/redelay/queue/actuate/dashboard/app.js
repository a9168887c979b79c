// Which module shows which address.

import { start, view } from './shell.js';

view('', () => import('./overview.js'));
view('queues/:queue', () => import('./queue.js'));
view('queues/:queue/messages', () => import('./messages.js'));
view('queues/:queue/messages/:id', () => import('./message.js'));
view('queues/:queue/calendar', () => import('./calendar.js'));
view('queues/:queue/dead', () => import('./dead.js'));
view('queues/:queue/running', () => import('./running.js'));
view('queues/:queue/keys', () => import('./keys.js'));
view('queues/:queue/recurring', () => import('./recurring.js'));
view('queues/:queue/jobs', () => import('./jobs.js'));
view('running', () => import('./running.js'));
view('instances', () => import('./instances.js'));
view('recurring', () => import('./recurring.js'));
view('topics', () => import('./topics.js'));
view('topics/:topic', () => import('./topic.js'));
view('search', () => import('./found.js').then(({ search }) => ({ default: search })));
view('dead', () => import('./found.js').then(({ dead }) => ({ default: dead })));
view('locks', () => import('./locks.js'));
view('jobs', () => import('./jobs.js'));

start();
