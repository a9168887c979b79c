package io.redelay.outbox.jdbc;

import io.redelay.outbox.TestServers;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The table of cold messages in H2.
 */
class H2ColdChunkIntegrationTests extends ColdChunkContract {

	@RegisterExtension
	static final TestServers servers = TestServers.withH2();

	@Override
	TestServers servers() {
		return servers;
	}

}
