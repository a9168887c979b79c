package io.redelay.queue.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.RunAnswer;
import io.redelay.queue.store.RunReply;
import io.redelay.queue.store.RunRequest;
import io.redelay.queue.store.RunStep;
import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.StoreException;

/**
 * The keys, the arguments and the reply of the script that begins and ends runs with an
 * idempotency key.
 */
final class RunCall {

	private static final String MINE = "mine";

	private static final String DONE = "done";

	private static final String OK = "ok";

	private final QueueKeys keys;

	private final RunRequest request;

	RunCall(QueueKeys keys, RunRequest request) {
		this.keys = keys;
		this.request = request;
	}

	List<Object> keys() {
		return List.of(this.keys.idempotent(), this.keys.idempotentRunning(), this.keys.idempotentOwners());
	}

	Object[] args() {
		List<Object> args = new ArrayList<>(List.of(this.request.owner(), Long.toString(this.request.seq()),
				Long.toString(this.request.answered()), (this.request.former() != null) ? this.request.former() : "",
				ScriptTime.millis(this.request.lease())));
		for (RunStep step : this.request.steps()) {
			args.add(step.action().verb());
			args.add(step.key());
			args.add(step.run());
			args.add(ScriptTime.millis(step.window()));
		}
		return args.toArray();
	}

	RunReply reply(Reply reply) {
		LaneStatus status = reply.status();
		if (status == LaneStatus.STALE) {
			throw new StoreException("A later request of the same owner of idempotent runs was seen", null);
		}
		List<RunAnswer> answers = new ArrayList<>(this.request.steps().size());
		while (reply.hasNext()) {
			answers.add(answer(reply.text()));
		}
		return new RunReply(status, answers);
	}

	private static RunAnswer answer(String word) {
		return switch (word) {
			case MINE -> RunAnswer.of(RunAnswer.State.MINE);
			case DONE -> RunAnswer.of(RunAnswer.State.DONE);
			case OK -> RunAnswer.of(RunAnswer.State.OK);
			default -> {
				String[] millis = word.split("/");
				yield new RunAnswer(RunAnswer.State.RUNNING, Duration.ofMillis(Long.parseLong(millis[0])),
						Duration.ofMillis(Long.parseLong(millis[1])));
			}
		};
	}

}
