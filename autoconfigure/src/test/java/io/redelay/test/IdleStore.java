package io.redelay.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.SenderState;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.RenewLaneScript;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.queue.wire.FakeStore;
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
		Map<String, Object> parts = new ConcurrentHashMap<>();
		return Mockito.mock(AdminScripts.class, (invocation) -> {
			Class<?> type = invocation.getMethod().getReturnType();
			return (type == void.class) ? null
					: parts.computeIfAbsent(invocation.getMethod().getName(), (name) -> part(type));
		});
	}

	private static Object part(Class<?> type) {
		if (type == int.class) {
			return 0;
		}
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
