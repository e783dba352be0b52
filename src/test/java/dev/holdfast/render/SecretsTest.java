package dev.holdfast.render;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            login --password hunter2 x              | login --password *** x
            login --password=hunter2 x              | login --password=*** x
            login --password 'hunter 2' x           | login --password '***' x
            login --password "hunter \\" 2" x       | login --password "***" x
            login --password ab"cd ef"\\ gh x       | login --password *** x
            login --token=abc;ls                    | login --token=***;ls
            x --api-key abc --db-password abc       | x --api-key *** --db-password ***
            x --client-secret=abc -storepass abc    | x --client-secret=*** -storepass ***
            bash -c "x --password hunter2"          | bash -c "x --password ***"
            bash -c "x --password 'hunter 2' y"     | bash -c "x --password '***' y"
            GITHUB_TOKEN=abc make                   | GITHUB_TOKEN=*** make
            export AWS_SECRET_ACCESS_KEY="a b" X=1  | export AWS_SECRET_ACCESS_KEY="***" X=1
            MYSQL_ROOT_PASSWORD=a PGPASSWORD='b c'  | MYSQL_ROOT_PASSWORD=*** PGPASSWORD='***'
            CLIENT_SECRET=a API_KEY=b x             | CLIENT_SECRET=*** API_KEY=*** x
            docker run -e DB_PASS=abc img           | docker run -e DB_PASS=*** img
            mysql -uroot -phunter2 db               | mysql -uroot -p*** db
            mysql -u root -p'hunter 2' db           | mysql -u root -p'***' db
            /usr/bin/mysqldump -p"x y" db           | /usr/bin/mysqldump -p"***" db
            docker exec db mariadb -pabc            | docker exec db mariadb -p***
            sshpass -p abc ssh host                 | sshpass -p *** ssh host
            curl -u user:abc https://x              | curl -u *** https://x
            redis-cli -a abc ping                   | redis-cli -a *** ping
            docker login -u me -p abc               | docker login -u me -p ***
            curl -H 'Authorization: Bearer a.b-c' x | curl -H 'Authorization: Bearer ***' x
            curl -H "authorization: Basic YTpi==" x | curl -H "authorization: Basic ***" x
            curl -H "Authorization: abc" x          | curl -H "Authorization: ***" x
            curl -H "X-Api-Key: abc" x              | curl -H "X-Api-Key: ***" x
            curl -H "PRIVATE-TOKEN:abc" x           | curl -H "PRIVATE-TOKEN:***" x
            echo bearer abcdef                      | echo bearer ***
            curl -d '{"password": "a b", "n": 1}'   | curl -d '{"password": "***", "n": 1}'
            curl -d "{\\"token\\":\\"a b\\",\\"n\\":1}" | curl -d "{\\"token\\":***,\\"n\\":1}"
            psql postgres://me:abc@h/db -c x        | psql postgres://me:***@h/db -c x
            git clone https://me:a@b:c@h/x.git      | git clone https://me:***@h/x.git
            git clone https://0123456789abcdef01234567@h/x | git clone https://***@h/x
            curl 'https://h/x?access_token=abc&n=1' | curl 'https://h/x?access_token=***&n=1'
            echo AKIAIOSFODNN7EXAMPLE x             | echo *** x
            echo ghp_0123456789abcdefABCDEF x       | echo *** x
            echo sk-proj-0123456789abcdef_x y       | echo *** y
            echo xoxb-123-456-abcdef x              | echo *** x
            echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_x y | echo *** y
            echo ghp_0123456789abcdef;ls            | echo ***;ls
            """)
    void masks(String command, String masked) {
        assertThat(Secrets.mask(command)).isEqualTo(masked);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "docker run -p 8080:80 -e PWD=/x img",
                "npm run dev -- --port 3000 --max-tokens 8",
                "grep -r password src",
                "login --password-stdin < f",
                "login --password --verbose",
                "echo $TOKEN ${API_KEY}",
                "X_TOKEN=$TOKEN curl -H \"Authorization: Bearer $TOKEN\" h",
                "x --token \"$TOKEN\"",
                "X_TOKEN=$(cat file) make",
                "mysql -u root -p db; mkdir -pv /a",
                "tokenize --secrets-dir /run/secrets",
                "git commit -m \"it's done: 100%\"",
                "http://localhost:3000/a@b",
                "git@github.com:a/b.git",
                "ssh://git@github.com/a",
                "pip install sk-learn",
                "AKIA ghp_ sk- xoxb- eyJ eyJ.",
                "",
                "'",
                "\\",
                "--password",
                "--password=",
                "TOKEN=",
                "Bearer ",
                "://",
                "mysql -p"
            })
    void leavesWhatIsNoSecret(String command) {
        assertThat(Secrets.mask(command)).isEqualTo(command);
    }

    @Test
    void masksAPrivateKeyWholeEvenUnquoted() {
        String pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc==\n-----END RSA PRIVATE KEY-----";
        assertThat(Secrets.mask("echo '" + pem + "' > k; ls")).isEqualTo("echo '***' > k; ls");
        assertThat(Secrets.mask("PRIVATE_KEY=" + pem + " x")).isEqualTo("PRIVATE_KEY=*** x");
        assertThat(Secrets.mask("echo -----BEGIN PRIVATE KEY-----\nMIIE")).isEqualTo("echo ***");
    }

    @Test
    void findsAValueOnTheNextLine() {
        assertThat(Secrets.mask("x --token \\\n  abc")).isEqualTo("x --token \\\n  ***");
    }

    static Stream<String> hostile() {
        return Stream.of(
                "-",
                "a",
                "'",
                "\"",
                "\\",
                "\\\"",
                "=",
                ":",
                "://",
                "://a:",
                "://a:b@",
                "token=",
                "token:",
                "token: '",
                "--token ",
                "--password \"",
                "Bearer ",
                "-----BEGIN",
                "-----BEGIN-----END",
                "eyJ.",
                "eyJ.a.b ",
                "mysql -p",
                "curl -u '",
                "ghp_",
                "A=\"",
                "\"password\":\"",
                "authorization: basic ",
                "\n",
                "\ud83d\ude00",
                "\ud83d");
    }

    /** 1 MiB in less than what a quadratic pass needs for a tenth of it. */
    @ParameterizedTest
    @MethodSource("hostile")
    void takesLinearTime(String piece) {
        String command = piece.repeat((1 << 20) / piece.length());
        String masked = Assertions.assertTimeoutPreemptively(Duration.ofSeconds(5), () -> Secrets.mask(command));
        assertThat(masked.length()).isLessThanOrEqualTo(3 * command.length());
    }
}
