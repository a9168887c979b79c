package io.redelay.annotation;

import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.redelay.lock.MyLock;
import io.redelay.queue.QueueListener;
import io.redelay.queue.recurring.RecurringMessage;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AnnotationPresence}.
 */
class AnnotationPresenceTests {

	@Test
	void aClassWithoutAnyIsNotSearched() {
		for (Class<?> type : new Class<?>[] { Object.class, String.class, SimpleAsyncTaskExecutor.class, Plain.class,
				int[].class, Runnable.class }) {
			assertThat(AnnotationPresence.isPossible(QueueListener.class, type)).isFalse();
			assertThat(AnnotationPresence.isPossible(MyLock.class, type)).isFalse();
		}
	}

	@Test
	void oneOnAMethodIsFoundAndNoOther() {
		assertThat(AnnotationPresence.isPossible(QueueListener.class, Listener.class)).isTrue();
		assertThat(AnnotationPresence.isPossible(MyLock.class, Listener.class)).isFalse();
		assertThat(AnnotationPresence.isPossible(RecurringMessage.class, Listener.class)).isFalse();
	}

	@Test
	void oneOnTheClassIsFound() {
		assertThat(AnnotationPresence.isPossible(MyLock.class, Locked.class)).isTrue();
	}

	@Test
	void whatIsInheritedOrImplementedIsFound() {
		assertThat(AnnotationPresence.isPossible(QueueListener.class, Inheriting.class)).isTrue();
		assertThat(AnnotationPresence.isPossible(MyLock.class, Implementing.class)).isTrue();
	}

	@Test
	void aProxyHasWhatItsInterfacesHave() {
		ProxyFactory factory = new ProxyFactory(Contract.class, (MethodInterceptor) (call) -> null);
		assertThat(AnnotationPresence.isPossible(MyLock.class, factory.getProxy().getClass())).isTrue();
		assertThat(AnnotationPresence.isPossible(QueueListener.class, factory.getProxy().getClass())).isFalse();
	}

	@Test
	void composedAnnotationsCountAlsoWhereTheyAreRepeated() {
		assertThat(AnnotationPresence.isPossible(QueueListener.class, Composed.class)).isTrue();
		assertThat(AnnotationPresence.isPossible(QueueListener.class, Twice.class)).isTrue();
		assertThat(AnnotationPresence.isPossible(MyLock.class, Twice.class)).isFalse();
	}

	static class Plain {

		@Deprecated
		void handle(String payload) {
		}

	}

	static class Listener {

		@QueueListener("orders")
		private void handle(String payload) {
		}

	}

	static class Inheriting extends Listener {

	}

	@MyLock("all")
	static class Locked {

	}

	interface Contract {

		@MyLock("one")
		void run();

	}

	static class Implementing implements Contract {

		@Override
		public void run() {
		}

	}

	@Repeatable(OrderListeners.class)
	@Retention(RetentionPolicy.RUNTIME)
	@QueueListener("orders")
	@interface OrderListener {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface OrderListeners {

		OrderListener[] value();

	}

	static class Composed {

		@OrderListener
		void handle(String payload) {
		}

	}

	static class Twice {

		@OrderListener
		@OrderListener
		void handle(String payload) {
		}

	}

}
