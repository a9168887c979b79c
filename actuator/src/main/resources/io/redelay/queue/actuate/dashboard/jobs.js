// What is done or was done with many messages at once, of one queue or of all.

import { h } from './dom.js';
import { path } from './api.js';
import { jobProgress, jobState, jobWords, stopJob } from './steer.js';
import { count, duration, fromNow, head, outside, pager, queueHeader, say, table } from './parts.js';
import { link } from './shell.js';

export default {
  title: page => (page.params.queue ? `Jobs of ${page.params.queue}` : 'Jobs'),

  load(page) {
    const { queue } = page.params;
    return page.get(queue ? path`queues/${queue}/jobs` : 'queues/-/jobs', { page: page.query.get('page') });
  },

  render(data, page) {
    const { queue } = page.params;
    const running = data.jobs.filter(job => job.state === 'RUNNING').length;
    return [
      queue ? queueHeader(page, { current: 'jobs' })
        : head('Jobs', 'What was begun for many messages at once. ', running ? `${count(running, 'runs', 'run')} now.` : 'None runs now.'),
      table({
        caption: 'Jobs', rows: data.jobs, key: job => job.id,
        empty: 'No jobs in the last day. A job begins when you act on all messages that a search finds, or on all of a state.',
        columns: [
          { label: 'Job', class: 'name', render: job => [h('strong', null, outside(jobWords(job))), queue ? null : h('div', { class: 'small' }, h('a', { href: link(['queues', job.queue]) }, outside(job.queue)))] },
          { label: 'State', render: jobState },
          { label: 'Progress', class: 'wide', render: job => jobProgress(page, job) },
          { label: 'Begun', render: job => [fromNow(job.startedAt, data.time), job.startedBy ? h('div', { class: 'small soft' }, say`by ${job.startedBy}`) : null] },
          { label: 'Took', class: 'number', render: job => (job.endedAt ? duration(new Date(job.endedAt) - new Date(job.startedAt)) : '–') },
          page.config.write ? { label: 'Action', hidden: true, class: 'act', render: job => stopJob(page, job.queue || queue, job) } : null,
        ],
      }),
      pager(page, data, 'job'),
    ];
  },
};
