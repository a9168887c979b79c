package io.redelay.redisson;

import org.redisson.config.Config;

/**
 * Callback for beans that change the {@link Config} of Redelay's Redisson client, in
 * their order, before the client is created.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RedissonConfigCustomizer {

	/**
	 * Changes the configuration.
	 * @param config the configuration, with all that is known from the connection details
	 * and the properties
	 */
	void customize(Config config);

}
