package io.redelay.queue.bundle.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.PendingMember;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.script.admin.BundleCommand;
import io.redelay.queue.script.admin.BundleScript;
import io.redelay.queue.script.admin.BundleScripts;
import io.redelay.queue.script.admin.BundlesScript;
import io.redelay.queue.script.admin.QueueRound;
import io.redelay.scheduling.RegularTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Maintains the bundles of a server, whichever instance opened them. It closes those that
 * were open for too long, and relays notes that a crash left in an outbox. It cancels
 * messages that reached their queue after their bundle was cancelled, and counts messages
 * that are in no queue any more as unaccounted for. Does nothing before it is started.
 * <p>
 * A bundle in which nothing moves is checked after a minute, then each time after twice
 * as long, up to a day.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class BundleSweeper implements AutoCloseable {

	/**
	 * How often an instance checks which bundles are due.
	 */
	public static final Duration INTERVAL = Duration.ofSeconds(30);

	/**
	 * How long a bundle must be unchanged before messages count as unaccounted for:
	 * longer than senders and consumers take to repeat what Redis has forgotten.
	 */
	public static final Duration QUIET = Duration.ofMinutes(10);

	private static final Log logger = PlainLog.of(BundleSweeper.class);

	private static final int MOST_BUNDLES = 20;

	private final BundleScripts scripts;

	private final RequestBatchers<BundleCommand, BundleScript.Result> commands;

	private final Consumer<String> relay;

	private final BundleCancellation cancellation;

	private final Duration quiet;

	private final QueueRound round;

	private final RegularTask regular;

	/**
	 * Creates a sweeper.
	 * @param scripts where bundles are kept
	 * @param cancellation cancels messages
	 * @param relay called with each queue whose outbox is to be relayed; must be quick
	 * @param scheduler when to look
	 * @param interval how often
	 * @param quiet for how long nothing moved before messages count as unaccounted for
	 */
	public BundleSweeper(BundleScripts scripts, BundleCancellation cancellation, Consumer<String> relay,
			Scheduler scheduler, Duration interval, Duration quiet) {
		this.scripts = scripts;
		this.commands = scripts.bundle().batchers();
		this.relay = relay;
		this.cancellation = cancellation;
		this.quiet = quiet;
		this.round = new QueueRound(scheduler, (failed) -> logger.warn("Bundles were not looked after in " + failed));
		this.regular = new RegularTask(scheduler, interval, this::sweep,
				(failure) -> this.round.failed("any queue", failure));
	}

	/**
	 * Begins to check, unless it does already.
	 */
	public void start() {
		this.regular.start();
	}

	@Override
	public void close() {
		this.regular.close();
	}

	/**
	 * Checks the bundles that are due.
	 */
	CompletableFuture<Void> sweep() {
		return this.scripts.bundles().queues().thenCompose((queues) -> this.round.go(queues, this::sweep));
	}

	private CompletableFuture<Void> sweep(String queue) {
		return this.commands.submit(queue, List.of(BundleCommand.due(MOST_BUNDLES)), true).thenCompose((reply) -> {
			List<String> looks = new ArrayList<>();
			for (String word : String.join(",", reply.answers()).split(",")) {
				String bundle = word.substring(word.indexOf(':') + 1);
				if (word.startsWith("over:")) {
					logger.warn("The bundle '" + bundle + "' with a callback to the queue '" + queue
							+ "' was closed because it had been open for too long: the application that opened it"
							+ " has not closed it");
				}
				else if (word.startsWith("look:")) {
					looks.add(bundle);
				}
			}
			return QueueRound.each(looks, (bundle) -> look(queue, bundle));
		});
	}

	private CompletableFuture<Void> look(String queue, String bundle) {
		return this.scripts.bundles().find(queue, bundle).thenCompose((page) -> {
			if (page.bundles().isEmpty()) {
				return done();
			}
			return new PendingMembersWalk(this.scripts.bundles(), queue, bundle,
					new Look(queue, page.bundles().get(0), page.time()))
				.go();
		});
	}

	private static CompletableFuture<Void> done() {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * A check of the messages of one bundle.
	 */
	private final class Look implements PendingMembersWalk.Visitor {

		private final String queue;

		private final BundlesScript.StoredBundle bundle;

		private final boolean quiet;

		private volatile boolean relaying;

		Look(String queue, BundlesScript.StoredBundle bundle, Instant now) {
			this.queue = queue;
			this.bundle = bundle;
			this.quiet = Duration.between(bundle.times().movedAt(), now).compareTo(BundleSweeper.this.quiet) >= 0;
		}

		@Override
		public boolean begins(BundlesScript.PendingMembers page) {
			this.relaying = page.relaying();
			if (page.relaying()) {
				// Some may not have been relayed yet.
				BundleSweeper.this.relay.accept(this.queue);
			}
			return !page.relaying() || this.bundle.cancelled();
		}

		@Override
		public CompletableFuture<Void> visit(String memberQueue, List<PendingMember> members) {
			return BundleSweeper.this.scripts.bundles()
				.missing(memberQueue, members)
				.thenCompose((missing) -> cancel(memberQueue, members, missing.members())
					.thenCompose((cancelled) -> missing(memberQueue, missing)));
		}

		/**
		 * Cancels messages that reached their queue after their bundle was cancelled.
		 */
		private CompletableFuture<Void> cancel(String memberQueue, List<PendingMember> members,
				List<PendingMember> missing) {
			return this.bundle.cancelled() ? BundleSweeper.this.cancellation
				.cancel(new BundleMembership(this.queue, this.bundle.id()), memberQueue, members, missing) : done();
		}

		private CompletableFuture<Void> missing(String memberQueue, BundlesScript.PendingMembers missing) {
			if (missing.relaying()) {
				BundleSweeper.this.relay.accept(memberQueue);
				return done();
			}
			if (missing.members().isEmpty() || !this.quiet || this.relaying) {
				return done();
			}
			return BundleSweeper.this.commands.submit(this.queue,
					List.of(BundleCommand.lost(this.bundle.id(), BundleSweeper.this.quiet, missing.members())), true)
				.thenAccept((reply) -> logger
					.warn(missing.members().size() + " message(s) of the bundle '" + this.bundle.id()
							+ "' with a callback to the queue '" + this.queue + "' are not in the queue '" + memberQueue
							+ "' any more, and count as unaccounted for: the queue was deleted, or Redis lost data"));
		}

	}

}
