package io.redelay.queue.send;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.ReactiveQueueOperations;
import io.redelay.queue.SendResult;
import reactor.core.publisher.Mono;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Sends messages by the futures of {@link QueueOperations}. Awaits the commit of reactive
 * transactions if these are a {@link QueueTemplate}.
 *
 * @param operations the operations that do the work
 * @since 0.1.0
 */
public record ReactiveQueueTemplate(QueueOperations operations) implements ReactiveQueueOperations {

	@Override
	public Mono<SendResult> send(Object payload) {
		return (this.operations instanceof QueueTemplate template)
				? Mono.defer(() -> send(template.toDefaultQueue(payload)))
				: Mono.fromFuture(() -> this.operations.sendAsync(payload));
	}

	@Override
	public Mono<SendResult> send(OutboundMessage message) {
		return send(message, this.operations::sendAsync, ReactiveCommit::add);
	}

	@Override
	public Mono<PublishResult> publish(OutboundMessage message) {
		return send(message, this.operations::publishAsync, ReactiveCommit::addPublished);
	}

	@Override
	public <T> Mono<T> sendForResult(OutboundMessage message, Class<T> type) {
		return Mono.fromFuture(() -> this.operations.sendForResult(message, type));
	}

	private <R> Mono<R> send(OutboundMessage message, Function<OutboundMessage, CompletableFuture<R>> now,
			BiFunction<ReactiveCommit, OutboundMessage, R> atCommit) {
		Mono<R> sent = Mono.fromFuture(() -> now.apply(message));
		if (!(this.operations instanceof QueueTemplate template) || !template.wantsCommit(message)) {
			return sent;
		}
		return TransactionSynchronizationManager.forCurrentTransaction()
			.filter((manager) -> manager.isSynchronizationActive() && manager.isActualTransactionActive())
			.onErrorResume(NoTransactionException.class, (ex) -> Mono.empty())
			.mapNotNull((manager) -> ReactiveCommit.of(template, manager))
			.map((commit) -> atCommit.apply(commit, message))
			.switchIfEmpty(sent);
	}

}
