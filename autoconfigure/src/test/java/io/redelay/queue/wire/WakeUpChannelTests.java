package io.redelay.queue.wire;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.client.codec.StringCodec;
import org.redisson.misc.CompletableFutureWrapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;

/**
 * Tests for {@link WakeUpChannel}.
 */
class WakeUpChannelTests {

	private final VirtualTime time = new VirtualTime();

	private final RTopic topic = Mockito.mock();

	private final AtomicInteger tries = new AtomicInteger();

	private boolean away = true;

	private WakeUpChannel channel;

	@BeforeEach
	void createChannel() {
		RedissonClient redisson = Mockito.mock();
		given(redisson.getTopic("wake:one", StringCodec.INSTANCE)).willReturn(this.topic);
		given(this.topic.getChannelNames()).willReturn(List.of("wake:one"));
		given(this.topic.removeAllListenersAsync()).willAnswer((invocation) -> {
			this.tries.incrementAndGet();
			return this.away ? new CompletableFutureWrapper<Void>(new RedisException("thrown by a test"))
					: new CompletableFutureWrapper<>((Void) null);
		});
		given(this.topic.addListenerAsync(eq(String.class), any())).willReturn(new CompletableFutureWrapper<>(1));
		given(this.topic.addListenerAsync(any())).willReturn(new CompletableFutureWrapper<>(2));
		this.channel = new WakeUpChannel(redisson, "wake:", "one", this.time);
	}

	@Test
	void subscribesAtOnceWhenRedisIsBack() {
		WakeUpSource.Subscription subscription = this.channel.subscribe(Mockito.mock(WakeUpSource.Listener.class));
		this.time.advance(Duration.ofMinutes(2));
		this.away = false;
		assertThat(subscription.isActive()).isFalse();
		int before = this.tries.get();
		this.channel.redisIsBack();
		assertThat(subscription.isActive()).isTrue();
		this.time.advance(Duration.ofMinutes(2));
		assertThat(this.tries).hasValue(before + 1);
	}

	@Test
	void isNotActiveWhileTheFormerSubscriptionEnds() {
		this.away = false;
		WakeUpSource.Subscription first = this.channel.subscribe(Mockito.mock(WakeUpSource.Listener.class));
		assertThat(first.isActive()).isTrue();
		CompletableFuture<Void> unsubscribed = new CompletableFuture<>();
		given(this.topic.removeAllListenersAsync()).willReturn(new CompletableFutureWrapper<>(unsubscribed));
		first.close();
		WakeUpSource.Listener listener = Mockito.mock();
		WakeUpSource.Subscription second = this.channel.subscribe(listener);
		assertThat(second.isActive()).as("what comes now is not heard").isFalse();
		Mockito.clearInvocations(listener);
		unsubscribed.complete(null);
		assertThat(second.isActive()).isTrue();
		BDDMockito.then(listener).should(Mockito.atLeastOnce()).wakeUpAll();
	}

	@Test
	void doesNothingWhenNothingFailed() {
		this.away = false;
		this.channel.subscribe(Mockito.mock(WakeUpSource.Listener.class));
		this.channel.redisIsBack();
		assertThat(this.tries).hasValue(1);
	}

}
