package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.redelay.delivery.DeliveryScope;
import io.redelay.queue.QueueWaitException;
import io.redelay.queue.handle.ClaimTime;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.script.NextMessages;
import io.redelay.queue.work.Checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * What handlers do in a run.
 */
final class Handlers {

	private final Simulation run;

	Handlers(Simulation run) {
		this.run = run;
	}

	/**
	 * Handles a message, which takes some time and may fail.
	 */
	CompletionStage<?> handle(Simulation.Instance instance, Delivery delivery) {
		List<String> uids = Messages.names(delivery);
		History history = this.run.histories.get(PartitionName.queueOf(delivery.queue()));
		this.run.count("handled");
		begins(instance, delivery, uids, history);
		Runs.Run once = (this.run.once && history == this.run.history) ? this.run.handled
			.begins(Messages.idempotencyKey(delivery.message()), instance.toString(), elapsed(), this.run.now()) : null;
		if (this.run.killsHandler(instance)) {
			return new CompletableFuture<>();
		}
		Random random = this.run.random;
		boolean fails = uids.stream().anyMatch((each) -> each.startsWith("p")) || random.nextInt(8) == 0;
		boolean waits = this.run.gated && !fails && random.nextInt(30) == 0;
		CompletableFuture<Object> done = new CompletableFuture<>();
		done.whenComplete((value, failure) -> {
			if (failure instanceof CancellationException) {
				ends(history, instance, uids, once, History.Ending.NEITHER);
			}
		});
		Duration takes = (this.run.faulty && random.nextInt(20) == 0) ? SimulatedInstance.millis(random, 1000, 40_000)
				: SimulatedInstance.millis(random, 0, 50);
		instance.threads.schedule(() -> {
			if (!done.isDone()) {
				ends(history, instance, uids, once,
						waits ? History.Ending.NEITHER : (fails ? History.Ending.FAILED : History.Ending.DONE));
				complete(done, waits, fails);
			}
		}, takes);
		String uid = uids.get(0);
		if (this.run.saving && random.nextBoolean() && !uid.startsWith("b")) {
			save(history, instance, uid, delivery.checkpoint(Simulation.CHECKPOINTS, String.class));
		}
		if (history == this.run.history) {
			if (this.run.stepping && uid.startsWith("m") && random.nextInt(3) == 0) {
				sendNext(instance, uid, this.run.messages.step(), (NextMessages) DeliveryScope.current());
			}
			if (this.run.acting && !waits && random.nextInt(3) == 0) {
				act(instance, "k" + random.nextInt(3), fails, takes.multipliedBy(2));
			}
		}
		return done;
	}

	private void begins(Simulation.Instance instance, Delivery delivery, List<String> uids, History history) {
		String uid = uids.get(0);
		boolean ticks = Messages.tick(uid) >= 0;
		this.run.note(instance + " handles " + uids
				+ ((uids.contains(delivery.uid()) || ticks) ? "" : " as " + delivery.uid()) + " of "
				+ delivery.queue());
		if (ticks) {
			history.ticks(uid, Messages.tick(uid), Simulation.TICKS);
		}
		history.begins(instance.toString(), uids, ClaimTime.of(delivery, instance.threads.nanoTime()).toEpochMilli(),
				this.run.now());
		if (this.run.filters != null && GroupName.isGroup(delivery.queue())) {
			String group = GroupName.groupOf(delivery.queue());
			uids.forEach((each) -> this.run.filters.handled(group, history.story(each)));
		}
		if (this.run.bulk && history == this.run.history && uids.size() == 1 && uid.startsWith("m")) {
			this.run.jobs.reads(history.story(uid), new String(Messages.payload(delivery), UTF_8));
		}
		if (uid.startsWith("b")) {
			this.run.count("bundles called back");
			history.calledBack(uid, Messages.summary(Messages.payload(delivery)));
		}
		else if (this.run.isPrompt() && !this.run.faulty && !this.run.killing && !this.run.bundling
				&& !this.run.replaying && history.begun(uid) == 1) {
			long late = this.run.now() - history.earliest(uid);
			this.run.check(late <= Simulation.LATEST.toMillis() || history.earliest(uid) == Long.MIN_VALUE,
					uid + " is handled " + late + " ms late");
		}
	}

	/**
	 * Saves a checkpoint while a message is handled.
	 */
	private void save(History history, Simulation.Instance instance, String uid, Checkpoint<String> checkpoint) {
		history.reads(uid, checkpoint.get().map(Integer::parseInt).orElse(0));
		int next = history.saves(uid);
		checkpoint.saveAsync(Integer.toString(next)).whenComplete((done, failure) -> {
			this.run.note(instance + " saved the checkpoint " + next + " of " + uid + ": "
					+ ((failure != null) ? failure : "done"));
			if (failure == null) {
				this.run.count("checkpoints saved");
				history.saved(uid, next);
			}
		});
	}

	/**
	 * Acts once for a key.
	 */
	private void act(Simulation.Instance instance, String key, boolean fails, Duration takes) {
		Runs.Run[] runs = new Runs.Run[1];
		instance.application.once(key, Simulation.WINDOW, () -> {
			this.run.note(instance + " acts for " + key);
			Runs.Run run = this.run.runs.begins(key, instance.toString(), elapsed(), this.run.now());
			runs[0] = run;
			CompletableFuture<Object> acted = new CompletableFuture<>();
			instance.threads.schedule(() -> {
				this.run.note(instance + (fails ? " has failed for " : " has acted for ") + key);
				run.ends(!fails, elapsed());
				if (fails) {
					acted.completeExceptionally(new IllegalStateException("thrown by an action"));
				}
				else {
					acted.complete(null);
				}
			}, takes);
			return acted;
		}).whenComplete((outcome, failure) -> {
			this.run.note(instance + " was notified of " + key + ": " + ((failure != null) ? failure : outcome));
			if (outcome != null) {
				this.run.count("actions of keys: " + outcome);
				switch (outcome) {
					case RAN -> runs[0].recorded();
					case DONE_BEFORE -> this.run.runs.skipped(key);
					default -> {
					}
				}
			}
		});
	}

	private void complete(CompletableFuture<Object> done, boolean waits, boolean fails) {
		if (waits) {
			this.run.count("handlers that close a gate");
			Duration duration = Duration.ofMillis(100 + this.run.random.nextInt(3000));
			done.completeExceptionally(this.run.random.nextBoolean() ? QueueWaitException.ofKey(duration, null)
					: QueueWaitException.ofQueue(duration, null));
		}
		else if (fails) {
			done.completeExceptionally(new ThrownException());
		}
		else {
			done.complete(null);
		}
	}

	/**
	 * @param once the run of the idempotency key, or {@code null}
	 */
	private void ends(History history, Simulation.Instance instance, List<String> uids, Runs.Run once,
			History.Ending ending) {
		this.run.note(instance + " ends " + uids + ": " + ending);
		history.ends(instance.toString(), uids, ending, this.run.now());
		if (once != null) {
			once.ends(ending == History.Ending.DONE, elapsed());
			if (ending == History.Ending.DONE && !this.run.faulty && !this.run.killing) {
				once.recorded();
			}
		}
	}

	private long elapsed() {
		return this.run.time.elapsed().toMillis();
	}

	/**
	 * Sends a message with the acknowledgement of the one that is handled.
	 */
	private void sendNext(Simulation.Instance instance, String uid, Messages.Sending next, NextMessages collected) {
		this.run.note(instance + " sends " + next + " with the acknowledgement of " + uid);
		this.run.history.sendsNext(instance.toString(), uid, next, this.run.now());
		collected.add(new NextMessage(this.run.senders.partition(instance, next, 0), next.message(), null),
				(counted) -> {
					this.run.note(instance + " was notified of " + next.uid() + ": " + counted);
					if (counted) {
						this.run.count("next steps sent");
						this.run.history.sent(next.uid(), this.run.now());
					}
					else {
						this.run.history.refused(next.uid());
					}
				});
	}

	/**
	 * Has no stack trace, which would be in each request of a failure.
	 */
	@SuppressWarnings("serial")
	private static final class ThrownException extends RuntimeException {

		ThrownException() {
			super("thrown by a handler", null, false, false);
		}

	}

}
