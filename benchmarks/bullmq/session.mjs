// A session of BullMQ. Each line on the standard input is a command, each line on the standard output the answer to it.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { Queue, Worker } from 'bullmq';

const [port, concurrency, queues] = process.argv.slice(2).map(Number);
const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };

const TOGETHER = 100;
const NOTE = 'Leave it with the neighbours on the second floor if nobody opens. '.repeat(2).substring(0, 117);
// Finished jobs would stay in Redis for ever.
const OPTIONS = { removeOnComplete: true };

const queue = new Queue('orders-0', { connection });
const workers = [];
let next = 0;
let tally = newTally(0, 0);

function micros() {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}

function order(number, at = micros()) {
  return { number, at, customer: 'amy@example', item: 'book', note: NOTE.substring(String(number).length - 1) };
}

function newTally(count, warmUp) {
  const tally = { count, warmUp, seen: 0, repeated: 0, handled: new Set(), late: [], begin: micros(), end: 0 };
  tally.finished = new Promise((resolve) => (tally.finish = resolve));
  return tally;
}

async function handle(job) {
  const now = micros();
  const { number, at } = job.data;
  if (number >= tally.count || tally.handled.has(number)) {
    tally.repeated++;
    return;
  }
  tally.handled.add(number);
  tally.late.push(now - at);
  tally.seen++;
  if (tally.seen === tally.warmUp) {
    tally.begin = now;
  }
  if (tally.seen === tally.count) {
    tally.end = now;
    tally.finish();
  }
}

// So many senders at the same time, each of which waits for its answers.
async function send(senders, count, task) {
  let sent = 0;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (sent < count) {
        await task(sent++);
      }
    }),
  );
}

const commands = {
  async hello() {
    await queue.waitUntilReady();
  },

  async send(senders, count) {
    const first = next;
    next += count;
    await send(senders, count, (i) => queue.add('order', order(first + i), OPTIONS));
  },

  async fill(delay, count) {
    const first = delay > 0 ? Number.MAX_SAFE_INTEGER - count : next;
    next += delay > 0 ? 0 : count;
    const opts = delay > 0 ? { ...OPTIONS, delay } : OPTIONS;
    for (let i = 0; i < count; i += TOGETHER) {
      const size = Math.min(TOGETHER, count - i);
      await queue.addBulk(
        Array.from({ length: size }, (_, j) => ({ name: 'order', data: order(first + i + j), opts })),
      );
    }
  },

  async expect(count, warmUp) {
    tally = newTally(count, warmUp);
    next = 0;
  },

  async listen() {
    for (let i = 0; i < queues; i++) {
      workers.push(new Worker(`orders-${i}`, handle, { connection, concurrency }));
    }
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  },

  async pace(count, perSecond) {
    const start = performance.now();
    const sent = [];
    for (let i = 0; i < count; i++) {
      const wait = start + (i * 1000) / perSecond - performance.now();
      if (wait > 0) {
        await sleep(wait);
      }
      sent.push(queue.add('order', order(next++), OPTIONS));
    }
    await Promise.all(sent);
  },

  async schedule(count, firstMillis, perSecond) {
    const start = micros() + firstMillis * 1000;
    const from = next;
    next += count;
    await send(16, count, (i) => {
      const now = micros();
      const delay = Math.max(1, Math.floor((start + (i * 1e6) / perSecond - now) / 1000));
      return queue.add('order', order(from + i, now + delay * 1000), { ...OPTIONS, delay });
    });
  },

  async await(limit) {
    await Promise.race([tally.finished, sleep(limit, undefined, { ref: false })]);
    const { seen, count, warmUp, repeated, begin, end, late } = tally;
    return {
      messages: seen,
      repeated,
      seconds: ((seen === count ? end : micros()) - begin) / 1e6,
      late: late.slice(warmUp).sort((a, b) => a - b),
    };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [verb, ...numbers] = line.split(' ');
  try {
    console.log(JSON.stringify((await commands[verb](...numbers.map(Number))) ?? {}));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error?.stack ?? error).split('\n').slice(0, 3).join(' ') }));
  }
}
await Promise.all(workers.map((worker) => worker.close(true)));
await queue.close();
process.exit(0);
