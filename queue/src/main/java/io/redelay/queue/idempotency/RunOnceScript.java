package io.redelay.queue.idempotency;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Begins and ends runs that succeed once for each idempotency key.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record RunOnceScript(ScriptRunner runner) {

	/**
	 * Runs the script.
	 * @param queue the queue that the keys belong to
	 * @param request the runs that begin and end
	 * @return the result of each step, in the same order; or that the store has forgotten
	 * requests of the owner, and nothing was done
	 */
	public CompletableFuture<Reply> run(String queue, Request request) {
		return this.runner.run(Script.RUN_ONCE, queue, "Beginning and ending idempotent runs of", RunOnceScript::reply,
				args(request));
	}

	private static Object[] args(Request request) {
		List<Object> args = new ArrayList<>(List.of(request.owner(), request.seq(), request.answered(),
				(request.former() != null) ? request.former() : "", ScriptTime.millis(request.lease())));
		for (Step step : request.steps()) {
			args.addAll(List.of(step.action().verb(), step.key(), step.run(), ScriptTime.millis(step.window())));
		}
		return args.toArray();
	}

	private static Reply reply(ReplyReader reply) {
		LaneStatus status = reply.status();
		if (status == LaneStatus.STALE) {
			throw new StoreException("A later request of the same owner of idempotent runs was seen", null);
		}
		return new Reply(status, reply.list((each) -> answer(each.text())));
	}

	private static Answer answer(String word) {
		String[] millis = word.split("/");
		return (millis.length == 1) ? Answer.of(Answer.State.valueOf(word.toUpperCase(Locale.ROOT)))
				: new Answer(Answer.State.RUNNING, Duration.ofMillis(Long.parseLong(millis[0])),
						Duration.ofMillis(Long.parseLong(millis[1])));
	}

	/**
	 * A request to begin and to end runs that have an idempotency key.
	 *
	 * @param owner the owner of the runs, a name that was never used before
	 * @param seq the number of the request among those of the owner, which has one on the
	 * wire at a time
	 * @param answered the number of the owner's last request that was answered, or 0
	 * @param former the owner that this one replaces, and whose runs end; {@code null} if
	 * there is none
	 * @param lease for how long the owner's runs keep their keys from now on; zero if the
	 * owner ends, which frees the keys of the runs that it leaves behind
	 * @param steps the steps, in this order, at most {@value #MAX_STEPS}
	 */
	public record Request(String owner, long seq, long answered, @Nullable String former, Duration lease,
			List<Step> steps) {

		/**
		 * How many steps one request can have.
		 */
		public static final int MAX_STEPS = 200;

		/**
		 * Checks the request.
		 */
		public Request {
			Assert.isTrue(seq > 0, () -> "'seq' must be positive: " + seq);
			Assert.isTrue(answered >= 0 && answered < seq,
					() -> "'answered' must be less than " + seq + ": " + answered);
			Assert.isTrue(!lease.isNegative(), () -> "'lease' must not be negative: " + lease);
			Assert.isTrue(steps.size() <= MAX_STEPS,
					() -> "'steps' must be at most " + MAX_STEPS + ": " + steps.size());
		}

	}

	/**
	 * The reply of the store to a {@link Request}.
	 *
	 * @param status {@link LaneStatus#OK}; or {@link LaneStatus#BEHIND} if the store has
	 * forgotten requests of the owner that were answered, and nothing was done
	 * @param answers the answer to each step, if the request was carried out
	 */
	public record Reply(LaneStatus status, List<Answer> answers) {
	}

	/**
	 * A step in the life of a run that has an idempotency key.
	 *
	 * @param action the action
	 * @param key the key, in the form of {@link Request}
	 * @param run the run, a name that its owner gives once
	 * @param window for how long the key is done, for {@link Action#DONE}
	 */
	public record Step(Action action, String key, String run, Duration window) {

		/**
		 * The action of a step.
		 */
		public enum Action {

			/**
			 * The run is to begin, if the key is neither done nor runs.
			 */
			BEGIN,

			/**
			 * The run has succeeded: the key is done, and is forgotten after the window.
			 */
			DONE,

			/**
			 * The run has not succeeded, and the key is free if it is the one of this
			 * run.
			 */
			FREE,

			/**
			 * Nothing happens: the answer is the state of the key.
			 */
			LOOK,

			/**
			 * The key is not done any more.
			 */
			FORGET;

			public String verb() {
				return name().toLowerCase(Locale.ROOT);
			}

		}

		/**
		 * Checks the step.
		 */
		public Step {
			Assert.isTrue(action != Action.DONE || window.toMillis() >= 1,
					() -> "'window' must be at least a millisecond: " + window);
		}

	}

	/**
	 * The answer of the store to a {@link Step}.
	 *
	 * @param state its result
	 * @param elapsed for how long the other run has been running, if there is one
	 * @param rest after what time the other run counts as crashed if its owner does not
	 * renew its lease, if there is one
	 */
	public record Answer(State state, Duration elapsed, Duration rest) {

		/**
		 * The result of a step.
		 */
		public enum State {

			/**
			 * The run has begun and has the key.
			 */
			MINE,

			/**
			 * A run with the key has succeeded, so this one does not begin.
			 */
			DONE,

			/**
			 * Another run has the key, so this one does not begin.
			 */
			RUNNING,

			/**
			 * The step was carried out. For a look at a key: no run with it has succeeded
			 * within its window, and none has it.
			 */
			OK

		}

		private static final Duration LEAST_WAIT = Duration.ofMillis(100);

		private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

		/**
		 * Returns when to look again at a key that runs: after a tenth of its running
		 * time, or at the end of its lease if that is sooner. So the end of a short run
		 * is noticed soon, and a long one is not asked about all the time.
		 * @return the time after which to look again
		 */
		public Duration lookAgain() {
			Duration delay = this.elapsed.dividedBy(10);
			if (delay.compareTo(LEAST_WAIT) < 0) {
				delay = LEAST_WAIT;
			}
			if (delay.compareTo(LONGEST_WAIT) > 0) {
				delay = LONGEST_WAIT;
			}
			Duration end = this.rest.plusMillis(1);
			return (end.compareTo(delay) < 0) ? end : delay;
		}

		/**
		 * Creates an answer that names no other run.
		 * @param state the result of the step
		 * @return the answer
		 */
		public static Answer of(State state) {
			return new Answer(state, Duration.ZERO, Duration.ZERO);
		}

	}

}
