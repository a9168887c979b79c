package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.LimitWords;
import io.redelay.queue.script.MessageCommand;

/**
 * Sets, changes and takes away the rate of the queue while messages are handled.
 */
final class LimitChanges {

	private static final String RATE = "rate";

	private final Simulation run;

	LimitChanges(Simulation run) {
		this.run = run;
	}

	void change() {
		List<Simulation.Instance> living = this.run.living();
		if (living.isEmpty()) {
			return;
		}
		Random random = this.run.random;
		Simulation.Instance instance = living.get(random.nextInt(living.size()));
		RateLimit rate = (random.nextInt(4) != 0) ? new RateLimit(2 + random.nextInt(8),
				Duration.ofMillis(200 + random.nextInt(1500)), random.nextBoolean()) : null;
		String word = LimitWords.word(LimitWords.RATE, (rate != null) ? LimitWords.rate(rate) : LimitWords.NONE);
		instance.threads.execute(() -> {
			this.run.history.commands(RATE, this.run.now());
			instance.application.command(Simulation.QUEUE, MessageCommand.limits(instance.toString(), word))
				.whenComplete((result, failure) -> {
					this.run.note(instance + " has set '" + word + "': " + ((failure != null) ? failure : result));
					this.run.history.commanded(RATE, this.run.now(), 0);
					if (failure == null && result.isDone()) {
						this.run.count("limits changed");
						if (rate != null) {
							this.run.history.limited(RATE, rate, this.run.now());
						}
					}
				});
		});
	}

}
