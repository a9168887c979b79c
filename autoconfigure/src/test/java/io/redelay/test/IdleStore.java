package io.redelay.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.redis.AdminScripts;
import io.redelay.queue.store.SendRequest;
import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.queue.store.BatcherSettings;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.RecurringStore;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.SendTerms;
import io.redelay.queue.store.SenderState;
import io.redelay.queue.store.redis.FakeStore;
import io.redelay.queue.store.redis.QueueScripts;
import io.redelay.queue.store.redis.RenewLaneScript;
import io.redelay.queue.store.redis.ResumeScript;
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
public class IdleStore extends FakeStore {

	@Override
	protected String instance() {
		return "idle";
	}

	@Override
	protected CompletableFuture<SenderState> checkSender(String queue, String lane) {
		return CompletableFuture.completedFuture(new SenderState(LaneStatus.OK, Instant.now(), Long.MAX_VALUE));
	}

	@Override
	protected CompletableFuture<ResumeScript.Reply> resume(String queue, ResumeScript.Request request) {
		return CompletableFuture.completedFuture(new ResumeScript.Reply(LaneStatus.OK, 0, Set.of()));
	}

	@Override
	protected CompletableFuture<Void> register(String queue) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	protected CompletableFuture<Void> openSender(String queue, String lane) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	protected CompletableFuture<SendReply> send(String queue, SendRequest request) {
		return CompletableFuture.completedFuture(new SendReply(LaneStatus.OK, Instant.now(), Map.of(), List.of()));
	}

	@Override
	protected CompletableFuture<Void> openLane(String queue, String lane, Duration lease, long before) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	protected CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
		return CompletableFuture
			.completedFuture(new ClaimReply(LaneStatus.OK, Instant.now(), null, Set.of(), List.of(), 0));
	}

	@Override
	protected CompletableFuture<RenewLaneScript.Reply> renewLane(String queue, String lane, Duration lease,
			long answered) {
		return CompletableFuture.completedFuture(new RenewLaneScript.Reply(true, false));
	}

	@Override
	protected CompletableFuture<Void> closeLane(String queue, String lane) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	protected CompletableFuture<Set<String>> findCancelled(String queue, List<String> uids) {
		return CompletableFuture.completedFuture(Set.of());
	}

	/**
	 * Gives the store for administration that goes with it, which never answers.
	 */
	public static AdminScripts admin() {
		return Mockito.mock(AdminScripts.class, IdleStore::answer);
	}

	private static Object part(Class<?> type) {
		return (type == ReplayMemory.class) ? ReplayMemory.NONE : Mockito.mock(type, IdleStore::answer);
	}

	private static @Nullable Object answer(InvocationOnMock invocation) {
		Class<?> type = invocation.getMethod().getReturnType();
		if (type == CompletableFuture.class) {
			return new CompletableFuture<>();
		}
		return (type == void.class) ? null : part(type);
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
		QueueScripts queueScripts() {
			return new IdleStore() {

				@Override
				protected boolean isClustered() {
					return false;
				}

			}.scripts();
		}

		@Bean
		RecurringStore recurringStore() {
			return new AbsentRecurringStore();
		}

		@Bean
		AdminScripts queueAdminStore() {
			return admin();
		}

	}

}
