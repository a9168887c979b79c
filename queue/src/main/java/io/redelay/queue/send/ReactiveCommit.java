package io.redelay.queue.send;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.log.PlainLog;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.SendResult;
import io.redelay.queue.script.NextMessages;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * The messages of one template that wait for the commit of one reactive transaction.
 */
final class ReactiveCommit implements TransactionSynchronization {

	private static final Log logger = PlainLog.of(ReactiveCommit.class);

	private final QueueTemplate template;

	private final List<Waiting> messages = new ArrayList<>();

	private boolean committed;

	private ReactiveCommit(QueueTemplate template) {
		this.template = template;
	}

	/**
	 * Returns what waits for the commit of a transaction, or {@code null} if it has
	 * committed.
	 */
	static @Nullable ReactiveCommit of(QueueTemplate template, TransactionSynchronizationManager manager) {
		for (TransactionSynchronization each : manager.getSynchronizations()) {
			if (each instanceof ReactiveCommit commit && commit.template == template) {
				return commit.isCommitted() ? null : commit;
			}
		}
		ReactiveCommit commit = new ReactiveCommit(template);
		manager.registerSynchronization(commit);
		return commit;
	}

	SendResult add(OutboundMessage message) {
		PreparedMessage prepared = this.template.prepare(message, Destination.QUEUE);
		NextMessages collected = this.template.collecting(prepared);
		add(new Waiting(prepared, collected));
		return (collected != null) ? prepared.pending() : prepared.estimate();
	}

	PublishResult addPublished(OutboundMessage message) {
		PreparedMessage prepared = this.template.prepare(message, Destination.TOPIC);
		add(new Waiting(prepared, null));
		return prepared.publishEstimate();
	}

	private synchronized void add(Waiting message) {
		this.messages.add(message);
	}

	private synchronized boolean isCommitted() {
		return this.committed;
	}

	private synchronized List<Waiting> commit() {
		this.committed = true;
		return List.copyOf(this.messages);
	}

	/**
	 * Sends all of them at once, so that those for one queue are batched, and fails when
	 * all have ended. Each failure is logged: Spring replaces the exception of a callback
	 * by one of its own, and keeps it as a suppressed one at best.
	 */
	@Override
	public Mono<Void> afterCommit() {
		return Mono.defer(() -> {
			List<Waiting> waiting = commit();
			List<CompletableFuture<?>> sent = waiting.stream().<CompletableFuture<?>>map(this::send).toList();
			return Mono.fromFuture(CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)));
		});
	}

	private CompletableFuture<?> send(Waiting waiting) {
		OutboundMessage message = waiting.prepared().message();
		return begin(waiting).whenComplete((result, failure) -> {
			if (failure != null) {
				logger.error("The transaction committed, but " + message + " was not sent", failure);
			}
		});
	}

	private CompletableFuture<?> begin(Waiting message) {
		PreparedMessage prepared = message.prepared();
		try {
			if (message.collected() != null) {
				this.template.sendInDelivery(prepared, message.collected());
				return CompletableFuture.completedFuture(null);
			}
			return (prepared.destination() == Destination.TOPIC)
					? this.template.publishNow(prepared, new CompletableFuture<>())
					: this.template.sendNow(prepared, new CompletableFuture<>());
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public Mono<Void> afterCompletion(int status) {
		return Mono.fromRunnable(() -> {
			if (!isCommitted()) {
				MessageSendException ex = new MessageSendException(
						"The transaction in which the message was sent did not commit", null);
				commit().forEach((message) -> message.prepared().abandon(ex));
			}
		});
	}

	/**
	 * A message that waits.
	 *
	 * @param collected collects it for an acknowledgement, or {@code null} if it is sent
	 * by itself
	 */
	private record Waiting(PreparedMessage prepared, @Nullable NextMessages collected) {

	}

}
