package io.redelay.queue.bundle;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.redelay.queue.store.BundleCommand;
import io.redelay.queue.store.BundleReply;
import io.redelay.queue.store.BundleStore;
import io.redelay.queue.store.PendingMember;
import io.redelay.queue.store.QueueRound;
import io.redelay.queue.store.RequestBatchers;
import io.redelay.queue.store.StoredBundle;
import io.redelay.scheduling.RegularTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the bundles of a server, whoever opened them: closes those that were open
 * for too long, has relayed what a crash left in an outbox, and counts messages as
 * unaccounted for that are in no queue any more. Does nothing before it is started.
 * <p>
 * A bundle in which nothing moves is looked at after a minute, and each time after twice
 * as long, up to a day.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class BundleSweeper implements AutoCloseable {

	/**
	 * How often an instance looks which bundles are due.
	 */
	public static final Duration INTERVAL = Duration.ofSeconds(30);

	/**
	 * For how long nothing moved in a bundle before messages count as unaccounted for:
	 * longer than senders and consumers take to repeat what Redis has forgotten.
	 */
	public static final Duration QUIET = Duration.ofMinutes(10);

	private static final Log logger = LogFactory.getLog(BundleSweeper.class);

	private static final int MOST_BUNDLES = 20;

	private final BundleStore store;

	private final RequestBatchers<BundleCommand, BundleReply> commands;

	private final Consumer<String> relay;

	private final Duration quiet;

	private final QueueRound round;

	private final RegularTask regular;

	/**
	 * Creates a sweeper.
	 * @param store where bundles are kept
	 * @param relay is told of each queue whose outbox is to be relayed; must be quick
	 * @param scheduler when to look
	 * @param interval how often
	 * @param quiet for how long nothing moved before messages count as unaccounted for
	 */
	public BundleSweeper(BundleStore store, Consumer<String> relay, Scheduler scheduler, Duration interval,
			Duration quiet) {
		this.store = store;
		this.commands = RequestBatchers.forBundles(store);
		this.relay = relay;
		this.quiet = quiet;
		this.round = new QueueRound(scheduler, (failed) -> logger.warn("Bundles were not looked after in " + failed));
		this.regular = new RegularTask(scheduler, interval, this::sweep,
				(failure) -> this.round.failed("any queue", failure));
	}

	/**
	 * Begins to look, unless it does already.
	 */
	public void start() {
		this.regular.start();
	}

	@Override
	public void close() {
		this.regular.close();
	}

	/**
	 * Looks after the bundles that are due.
	 */
	CompletableFuture<Void> sweep() {
		return this.store.queues().thenCompose((queues) -> this.round.go(queues, this::sweep));
	}

	private CompletableFuture<Void> sweep(String queue) {
		return this.commands.submit(queue, List.of(BundleCommand.due(MOST_BUNDLES)), true).thenCompose((reply) -> {
			List<String> looks = new ArrayList<>();
			for (String word : String.join(",", reply.answers()).split(",")) {
				String bundle = word.substring(word.indexOf(':') + 1);
				if (word.startsWith("over:")) {
					logger.warn("The bundle '" + bundle + "' with a callback to the queue '" + queue
							+ "' was closed because it had been open for too long: whoever opened it has not closed"
							+ " it");
				}
				else if (word.startsWith("look:")) {
					looks.add(bundle);
				}
			}
			return QueueRound.each(looks, (bundle) -> look(queue, bundle, reply.time()));
		});
	}

	private CompletableFuture<Void> look(String queue, String bundle, Instant now) {
		return this.store.find(queue, bundle).thenCompose((page) -> {
			boolean judged = !page.bundles().isEmpty() && isQuiet(page.bundles().get(0), now);
			return page.bundles().isEmpty() ? done() : look(queue, bundle, judged, null);
		});
	}

	private boolean isQuiet(StoredBundle bundle, Instant now) {
		return Duration.between(bundle.movedAt(), now).compareTo(this.quiet) >= 0;
	}

	private CompletableFuture<Void> look(String queue, String bundle, boolean judged, @Nullable PendingMember after) {
		return this.store.pending(queue, bundle, after).thenCompose((pending) -> {
			if (pending.relaying()) {
				// Some may not have been sent on yet.
				this.relay.accept(queue);
				return done();
			}
			if (pending.members().isEmpty()) {
				return done();
			}
			Map<String, List<PendingMember>> byQueue = new LinkedHashMap<>();
			pending.members()
				.forEach((member) -> byQueue.computeIfAbsent(member.queue(), (name) -> new ArrayList<>()).add(member));
			PendingMember last = pending.members().get(pending.members().size() - 1);
			return QueueRound
				.each(byQueue.entrySet(), (entry) -> missing(queue, bundle, judged, entry.getKey(), entry.getValue()))
				.thenCompose((done) -> look(queue, bundle, judged, last));
		});
	}

	private CompletableFuture<Void> missing(String queue, String bundle, boolean judged, String memberQueue,
			List<PendingMember> members) {
		return this.store.missing(memberQueue, members).thenCompose((missing) -> {
			if (missing.relaying()) {
				this.relay.accept(memberQueue);
				return done();
			}
			if (missing.members().isEmpty() || !judged) {
				return done();
			}
			return this.commands.submit(queue, List.of(BundleCommand.lost(bundle, this.quiet, missing.members())), true)
				.thenAccept((reply) -> logger.warn(missing.members().size() + " message(s) of the bundle '" + bundle
						+ "' with a callback to the queue '" + queue + "' are not in the queue '" + memberQueue
						+ "' any more, and count as unaccounted for: the queue was deleted, or Redis lost data"));
		});
	}

	private static CompletableFuture<Void> done() {
		return CompletableFuture.completedFuture(null);
	}

}
