package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * The last commands of this instance on recurring messages, which are repeated if Redis
 * goes back in time and forgets them.
 * <p>
 * Safe for use by many threads.
 */
final class RecentCommands {

	private static final Log logger = PlainLog.of(RecentCommands.class);

	private static final int MOST = 100;

	private final RecurringRepository ledger;

	private final Scheduler clock;

	private final Deque<Command> commands = new ArrayDeque<>();

	RecentCommands(RecurringRepository ledger, Scheduler clock) {
		this.ledger = ledger;
		this.clock = clock;
	}

	/**
	 * Remembers a command that was carried out.
	 * @param name the recurring message
	 * @param state what Redis has since then
	 * @param again gives the command again
	 */
	void add(RecurringName name, StoredRecurring state, Supplier<CompletableFuture<?>> again) {
		synchronized (this.commands) {
			this.commands.add(new Command(name, state.revision(), this.clock.nanoTime(), again));
			if (this.commands.size() > MOST) {
				this.commands.remove();
			}
		}
	}

	/**
	 * Repeats the commands whose change, or a later one, Redis does not have, in their
	 * order.
	 * @param duration how long ago they were given at most
	 */
	void repeat(Duration duration) {
		List<Command> all;
		synchronized (this.commands) {
			long now = this.clock.nanoTime();
			this.commands.removeIf((command) -> now - command.nanos() > duration.toNanos());
			all = List.copyOf(this.commands);
		}
		CompletableFuture<Void> before = CompletableFuture.completedFuture(null);
		for (Command command : all) {
			before = before.thenCompose((done) -> repeat(command)).exceptionally((failure) -> {
				logger.debug("A command on the " + command.name() + " that Redis has forgotten was not given again",
						failure);
				return null;
			});
		}
	}

	private CompletableFuture<Void> repeat(Command command) {
		RecurringName name = command.name();
		return this.ledger.look(name.queue(), name.name()).thenCompose((seen) -> {
			StoredRecurring state = seen.state();
			boolean forgotten = state == null || state.revision() < command.revision();
			return forgotten ? command.again().get().thenApply((done) -> null)
					: CompletableFuture.completedFuture(null);
		});
	}

	private record Command(RecurringName name, long revision, long nanos, Supplier<CompletableFuture<?>> again) {

	}

}
