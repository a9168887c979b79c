package io.redelay.docs.recipes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockType;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

@Service
class PriceList {

	private final Path file;

	PriceList(@Value("${prices.file}") Path file) {
		this.file = file;
	}

	@MyLock(name = "price-list", lockType = MyLockType.READ_LOCK)
	public String read() throws IOException {
		return Files.readString(this.file);
	}

	@MyLock(name = "price-list", lockType = MyLockType.WRITE_LOCK, waitTime = 10)
	public void replace(String prices) throws IOException {
		Files.writeString(this.file, prices);
	}

}
