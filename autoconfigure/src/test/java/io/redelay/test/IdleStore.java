package io.redelay.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.queue.store.BatcherSettings;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.LaneRenewal;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.OutboxReply;
import io.redelay.queue.store.OutboxRequest;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.RequestProtocol;
import io.redelay.queue.store.ResumeReply;
import io.redelay.queue.store.ResumeRequest;
import io.redelay.queue.store.Rollback;
import io.redelay.queue.store.RunReply;
import io.redelay.queue.store.RunRequest;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.SendTerms;
import io.redelay.queue.store.SenderState;
import io.redelay.queue.store.WakeUpListener;
import io.redelay.queue.store.WakeUpSubscription;
import io.redelay.queue.store.redis.RedisQueueAdminStore;
import org.jspecify.annotations.Nullable;
import org.mockito.Mockito;
import org.mockito.invocation.InvocationOnMock;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A store without a server, in which there is never anything.
 */
public class IdleStore implements DelayQueueStore {

	private final AtomicInteger lanes = new AtomicInteger();

	@Override
	public String instance() {
		return "idle";
	}

	@Override
	public String newLane() {
		return "lane" + this.lanes.incrementAndGet();
	}

	@Override
	public ReplayMemory replayMemory() {
		return ReplayMemory.NONE;
	}

	@Override
	public CompletableFuture<ResumeReply> resume(String queue, ResumeRequest request) {
		return CompletableFuture.completedFuture(new ResumeReply(LaneStatus.OK, 0, Set.of()));
	}

	@Override
	public CompletableFuture<Void> register(String queue) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public RequestProtocol<NewMessage, SendReply> sends(String queue, SendTerms terms) {
		return new RequestProtocol<>(new BatcherSettings(queue, Rollback.Lane.SENDER, 1000, terms.maxWaiting()),
				NewMessage::bytes, () -> register(queue).thenApply((registered) -> newLane()),
				(lane, seq, renews, messages, attempt) -> CompletableFuture
					.completedFuture(new SendReply(LaneStatus.OK, Instant.now(), Map.of(), List.of())),
				(lane) -> CompletableFuture
					.completedFuture(new SenderState(LaneStatus.OK, Instant.now(), Long.MAX_VALUE)));
	}

	@Override
	public CompletableFuture<Void> openLane(String queue, String lane, Duration lease, long before) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
		return CompletableFuture
			.completedFuture(new ClaimReply(LaneStatus.OK, Instant.now(), null, Set.of(), List.of(), 0));
	}

	@Override
	public CompletableFuture<LaneRenewal> renewLane(String queue, String lane, Duration lease, long answered) {
		return CompletableFuture.completedFuture(LaneRenewal.RENEWED);
	}

	@Override
	public CompletableFuture<Void> closeLane(String queue, String lane) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Set<String>> findCancelled(String queue, List<String> uids) {
		return CompletableFuture.completedFuture(Set.of());
	}

	@Override
	public CompletableFuture<OutboxReply> outbox(String queue, OutboxRequest request) {
		return CompletableFuture.failedFuture(new UnsupportedOperationException());
	}

	@Override
	public CompletableFuture<RunReply> runs(String queue, RunRequest request) {
		return CompletableFuture.failedFuture(new UnsupportedOperationException());
	}

	@Override
	public WakeUpSubscription subscribe(WakeUpListener listener) {
		return () -> {
		};
	}

	/**
	 * Gives the store for administration that goes with it, which never answers.
	 */
	public static QueueAdminStore admin() {
		return Mockito.mock(RedisQueueAdminStore.class, IdleStore::answer);
	}

	private static @Nullable Object answer(InvocationOnMock invocation) {
		Class<?> type = invocation.getMethod().getReturnType();
		if (type == CompletableFuture.class) {
			return new CompletableFuture<>();
		}
		if (type == void.class) {
			return null;
		}
		return (type == ReplayMemory.class) ? ReplayMemory.NONE : Mockito.mock(type, IdleStore::answer);
	}

	/**
	 * The queue on such a store.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(QueueAutoConfiguration.class)
	public static class Wiring {

		@Bean
		RedissonClient redissonClient() {
			return Mockito.mock(RedissonClient.class);
		}

		@Bean
		DelayQueueStore delayQueueStore() {
			return new IdleStore();
		}

		@Bean
		QueueAdminStore queueAdminStore() {
			return admin();
		}

	}

}
