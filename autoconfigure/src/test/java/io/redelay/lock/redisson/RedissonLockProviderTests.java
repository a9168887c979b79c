package io.redelay.lock.redisson;

import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RedissonLockProvider}.
 */
class RedissonLockProviderTests {

	@Test
	void aProviderOfABuiltInTypeNeedsTheType() {
		RedissonClient client = mock();
		assertThatNullPointerException().isThrownBy(() -> RedissonLockProvider.of(client, null));
	}

}
