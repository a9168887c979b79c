// Takes back what was just done, where that is possible without a message being handled too early or twice.

import { ApiError, get, path, post } from './api.js';

const COMMANDS = { BURY: 'redrive', RESCHEDULE: 'reschedule' };

/** Gives messages that waited their due time back: those that were buried live again, those that were rescheduled are due as before. */
export function undoOf(action, messages) {
  const command = COMMANDS[action.toUpperCase()];
  return command && (async () => {
    for (const message of messages) {
      const uid = await uidNow(message);
      await post(path`queues/${message.queue}/messages/${uid}/${command}`, { due: message.dueAt });
    }
    return messages.length === 1 ? 'It is due as it was before.' : `${messages.length} messages are due as they were before.`;
  });
}

/** A message that was moved may have another uid, and another message may have its id by now. */
async function uidNow({ queue, id, uid, sentAt }) {
  for (const name of [uid, id]) {
    try {
      const now = await get(path`queues/${queue}/messages/${name}`);
      if (now.sentAt === sentAt) {
        return now.uid;
      }
    } catch (failure) {
      if (failure.status !== 404) {
        throw failure;
      }
    }
  }
  throw new ApiError(404, { message: 'It has gone meanwhile, and stays as it is.' });
}

/** Pauses again what was resumed, and the other way round. */
export function undoOfPause(queue, paused) {
  return async () => {
    await post(path`queues/${queue}/${paused ? 'pause' : 'resume'}`);
    return paused ? `${queue} is paused again.` : `${queue} is resumed again.`;
  };
}
