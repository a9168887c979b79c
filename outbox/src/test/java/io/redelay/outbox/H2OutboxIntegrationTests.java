package io.redelay.outbox;

import java.nio.file.Path;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The outbox in H2.
 */
class H2OutboxIntegrationTests extends OutboxContract {

	@RegisterExtension
	static final TestServers servers = TestServers.withH2();

	@Override
	TestServers servers() {
		return servers;
	}

	@TempDir
	Path folder;

	@Override
	String sharedDatabase() {
		return "jdbc:h2:file:" + this.folder.resolve("shop").toAbsolutePath() + ";AUTO_SERVER=TRUE";
	}

	/**
	 * Between the send and the deletion of what was sent.
	 */
	@Override
	int diesAtDeletion() {
		return 4;
	}

	@Override
	void kill(OutboxInstance instance, OutboxApplication survivor) {
		Awaitility.await().until(() -> !instance.isAlive());
	}

}
