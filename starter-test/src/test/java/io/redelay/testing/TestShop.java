package io.redelay.testing;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The application whose parts the tests here look at.
 */
@SpringBootApplication
class TestShop {

}
