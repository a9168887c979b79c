package io.redelay.queue.script;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.SendRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ScriptObservers}.
 */
class ScriptObserversTests {

	private final AtomicLong clock = new AtomicLong();

	private final List<String> drained = new ArrayList<>();

	private final ScriptObservers application = new ScriptObservers(this.clock::get);

	private final ScriptObservers server = this.application.ofServer((queue, time) -> this.drained.add(queue));

	private final List<ScriptCall> calls = new ArrayList<>();

	private final ScriptCall.Removal removal = new ScriptCall.Removal("orders", "Purged", List.of(), Instant.EPOCH,
			true);

	@Test
	void observesNoCallWhileTheListIsEmpty() {
		assertThat(this.server.begin()).isNull();
		ScriptObserver observer = new Observer(false);
		this.server.add(observer);
		assertThat(this.server.begin()).isNotNull();
		this.server.remove(observer);
		assertThat(this.server.begin()).isNull();
	}

	@Test
	void aServerHasTheObserversOfTheApplicationAndItsOwn() {
		ScriptObserver shared = new Observer(false);
		this.application.add(shared);
		this.server.add(new Observer(false));
		assertThat(this.application.ofServer((queue, time) -> {
		}).begin()).isNotNull();
		begin(this.server).ended(this.removal);
		assertThat(this.calls).hasSize(2);
		begin(this.application).ended(this.removal);
		assertThat(this.calls).hasSize(3);
		this.application.remove(shared);
		assertThat(this.application.begin()).isNull();
		begin(this.server).ended(this.removal);
		assertThat(this.calls).hasSize(4);
	}

	@Test
	void aCallIsObservedByThoseWhoWereThereWhenItBegan() {
		ScriptObserver first = new Observer(false);
		this.server.add(first);
		ScriptObservers.Call call = begin(this.server);
		this.server.remove(first);
		this.server.add(new Observer(true));
		this.clock.set(7);
		assertThat(call.nanos()).isEqualTo(7);
		call.ended(this.removal);
		assertThat(this.calls).containsExactly(this.removal);
	}

	@Test
	void passesOnThatAQueueIsDrainedOnlyIfAnObserverNeedsChanges() {
		this.server.add(new Observer(false));
		begin(this.server).ended(this.removal);
		assertThat(this.drained).isEmpty();
		assertThat(this.server.needChanges()).isFalse();
		this.application.add(new Observer(true));
		assertThat(this.server.needChanges()).isTrue();
		begin(this.server).ended(this.removal);
		assertThat(this.drained).containsExactly("orders");
	}

	@Test
	void observesSendsOnlyIfAnObserverNeedsThem() {
		this.server.add(new Observer(true));
		assertThat(this.server.beginSend()).isNull();
		ScriptObserver sends = new ScriptObserver() {

			@Override
			public boolean needsSends() {
				return true;
			}

		};
		this.application.add(sends);
		assertThat(this.server.beginSend()).isNotNull();
		this.application.remove(sends);
		assertThat(this.server.beginSend()).isNull();
		assertThat(this.server.begin()).isNotNull();
	}

	@Test
	void anObserverThatFailsFailsNoCallAndKeepsItFromNoOther() {
		this.server.add(new FailingObserver());
		this.server.add(new Observer(true));
		ScriptObservers.Call call = begin(this.server);
		call.sending("orders", new SendRequest("lane", 1, false,
				List.of(new NewMessage("uid", null, null, null, new byte[0])), null, false, false));
		call.ended(this.removal);
		this.server.changed(QueueEvent.Type.PURGED, "orders", Instant.EPOCH, 0, null);
		assertThat(this.calls).containsExactly(this.removal);
		assertThat(this.drained).containsExactly("orders");
	}

	private static ScriptObservers.Call begin(ScriptObservers observers) {
		return Objects.requireNonNull(observers.begin());
	}

	private final class Observer implements ScriptObserver {

		private final boolean needsChanges;

		Observer(boolean needsChanges) {
			this.needsChanges = needsChanges;
		}

		@Override
		public boolean needsChanges() {
			return this.needsChanges;
		}

		@Override
		public void called(ScriptCall call) {
			ScriptObserversTests.this.calls.add(call);
		}

	}

	private static final class FailingObserver implements ScriptObserver {

		@Override
		public void sending(String queue, SendRequest request) {
			throw new IllegalStateException("sending");
		}

		@Override
		public void called(ScriptCall call) {
			throw new IllegalStateException("called");
		}

		@Override
		public void changed(QueueEvent.Type type, String queue, Instant time, long messages, @Nullable String detail) {
			throw new IllegalStateException("changed");
		}

	}

}
