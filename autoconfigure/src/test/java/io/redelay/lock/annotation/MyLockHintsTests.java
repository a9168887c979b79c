package io.redelay.lock.annotation;

import io.redelay.lock.MyLock;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the hints that {@link MyLock @MyLock} gives to native images.
 */
class MyLockHintsTests {

	@Test
	void annotatedMethodsCanBeCalled() throws NoSuchMethodException {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Work.class);
		assertThat(
				RuntimeHintsPredicates.reflection().onMethodInvocation(Work.class.getDeclaredMethod("run", long.class)))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Work.class.getDeclaredMethod("other")))
			.rejects(hints);
	}

	@Test
	void fallbacksCanBeCalled() throws NoSuchMethodException {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Work.class);
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(Work.class.getDeclaredMethod("instead", long.class))).accepts(hints);
	}

	static class Work {

		@MyLock(name = "order:#{id}", fallback = "instead")
		void run(long id) {
		}

		@SuppressWarnings("unused") // named by the annotation
		private void instead(long id) {
		}

		void other() {
		}

	}

}
