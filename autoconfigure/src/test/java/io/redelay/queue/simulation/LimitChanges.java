package io.redelay.queue.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;

import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.LimitWords;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.script.MessageCommand;

/**
 * Sets, changes and takes away limits of the queue while messages are handled.
 */
final class LimitChanges {

	private final Simulation run;

	LimitChanges(Simulation run) {
		this.run = run;
	}

	/**
	 * Changes the rate of the queue.
	 */
	void changeRate() {
		List<Simulation.Instance> living = this.run.living();
		if (!living.isEmpty()) {
			Simulation.Instance instance = living.get(this.run.random.nextInt(living.size()));
			change(instance, LimitWords.RATE, isSet(this.run.random)
					? new ClaimLimits(rate(this.run.random, 2, 8), null, null, null, null) : ClaimLimits.NONE);
		}
	}

	/**
	 * Changes how many messages are handled at a time, a limit of each fairness key, or
	 * the length of the lines of ordering keys.
	 */
	void changeOther(Random random) {
		List<Simulation.Instance> living = this.run.living();
		if (living.isEmpty()) {
			return;
		}
		Simulation.Instance instance = living.get(random.nextInt(living.size()));
		int which = this.run.keyed ? random.nextInt(4) : 0;
		boolean sets = isSet(random);
		switch (which) {
			case 0 -> change(instance, LimitWords.IN_FLIGHT,
					sets ? new ClaimLimits(null, 1 + random.nextInt(4), null, null, null) : ClaimLimits.NONE);
			case 1 -> change(instance, LimitWords.KEY_IN_FLIGHT,
					sets ? new ClaimLimits(null, null, null, 1 + random.nextInt(2), null) : ClaimLimits.NONE);
			case 2 -> change(instance, LimitWords.KEY_RATE,
					sets ? new ClaimLimits(null, null, rate(random, 1, 4), null, null) : ClaimLimits.NONE);
			default -> change(instance, LimitWords.LINE, sets
					? new StoredLimits(ClaimLimits.NONE, 1 + random.nextInt(3), Instant.EPOCH, "") : StoredLimits.NONE);
		}
	}

	private static boolean isSet(Random random) {
		return random.nextInt(4) != 0;
	}

	private static RateLimit rate(Random random, int least, int choices) {
		return new RateLimit(least + random.nextInt(choices), Duration.ofMillis(200 + random.nextInt(1500)),
				random.nextBoolean());
	}

	private void change(Simulation.Instance instance, String name, ClaimLimits limits) {
		change(instance, name, new StoredLimits(limits, null, Instant.EPOCH, ""));
	}

	private void change(Simulation.Instance instance, String name, StoredLimits limits) {
		String set = LimitWords.of(limits);
		String word = set.isEmpty() ? LimitWords.word(name, LimitWords.NONE) : set;
		instance.threads.execute(() -> {
			this.run.history.commands(name, this.run.now());
			instance.application.command(Simulation.QUEUE, MessageCommand.limits(instance.toString(), word))
				.whenComplete((result, failure) -> {
					this.run.note(instance + " has set '" + word + "': " + ((failure != null) ? failure : result));
					this.run.history.commanded(name, this.run.now(), 0);
					if (failure == null && result.isDone()) {
						this.run.count("limits changed");
						if (!set.isEmpty()) {
							this.run.history.limited(name, limits, this.run.now());
						}
					}
				});
		});
	}

}
