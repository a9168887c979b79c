package io.redelay.queue.admin.engine;

import io.redelay.queue.limits.LoneSurrogates;
import io.redelay.queue.script.admin.AdminScripts;

import org.springframework.util.Assert;

/**
 * Refuses invalid arguments.
 */
final class AdminArguments {

	private AdminArguments() {
	}

	static void checkId(String id) {
		Assert.hasText(id, "'id' must not be blank: give the message's id or uid");
		Assert.isTrue(LoneSurrogates.firstIn(id) < 0,
				() -> "'id' has half a character, a lone surrogate, which no message has: '" + id + "'");
	}

	static void checkPage(int page, int size) {
		Assert.isTrue(page >= 0 && page <= 1_000_000, () -> "'page' must be 0 or more: " + page);
		Assert.isTrue(size >= 1 && size <= AdminScripts.MAX_PAGE,
				() -> "'size' must be 1 to " + AdminScripts.MAX_PAGE + ": " + size);
	}

	static void checkLimit(int limit) {
		Assert.isTrue(limit >= 1 && limit <= AdminScripts.MAX_PAGE,
				() -> "'limit' must be 1 to " + AdminScripts.MAX_PAGE + ": " + limit);
	}

}
