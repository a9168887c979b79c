package io.redelay.lock;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Lets a native image find the scripts of locks, read {@link MyLock @MyLock}, and find
 * out whether Reactor is there.
 */
final class LockHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/redelay/lock/*.lua");
		hints.reflection().registerType(MyLock.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		hints.proxies().registerJdkProxy(MyLock.class);
		hints.reflection().registerTypeIfPresent(classLoader, "reactor.core.publisher.Flux");
	}

}
